/** Receipts: how a login that lacks a method continues, and what revokes or expires it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { asForwarded, AUTH, ENV, loginServer, asserted } from "../federation/login-server.js";
import {
  asks,
  BOTH,
  methodsOf,
  multiFactorServer,
  PASSWORD,
  receiptOf,
  REFUSED,
  seen,
  type MultiFactorServer,
} from "./multi-factor-server.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";

describe(`a receipt on ${databases.name}`, () => {
  let server: MultiFactorServer;
  beforeAll(async () => {
    server = await multiFactorServer(databases);
  }, 60_000);
  afterAll(() => server.service.close());

  it("is continued by the other method, in either order, at either address", async () => {
    const user = await server.add(BOTH);
    const afterPassword = { receipt: receiptOf(await server.byPassword(user)) };
    for (const answer of [
      await server.atProvider(user, afterPassword),
      await server.byMethod(user, afterPassword),
    ]) {
      expect(methodsOf(answer)).toEqual([201, ["password", "mapped"]]);
      expect(methodsOf(await server.check(answer.token))).toEqual([200, ["password", "mapped"]]);
    }
    for (const first of [await server.atProvider(user), await server.byMethod(user)]) {
      expect(seen(first)).toEqual(asks(["mapped"]));
      const scope = { project: { id: server.project } };
      const answer = await server.byPassword(user, { receipt: receiptOf(first), scope });
      expect(methodsOf(answer)).toEqual([201, ["mapped", "password"]]);
      expect(answer.body.token.project.id).toBe(server.project);
    }
  });

  it("leads to tokens whose methods count when they are exchanged for others", async () => {
    const user = await server.add(BOTH);
    const { token } = await server.atProvider(user, { receipt: receiptOf(await server.byPassword(user)) });
    const scoped = await server.byToken(token, { scope: { project: { id: server.project } } });
    expect(methodsOf(scoped)).toEqual([201, ["password", "mapped", "token"]]);
  });

  it("is continued with a token from before the rules, and ends no later than that", async () => {
    const user = await server.add();
    const before = await server.byPassword(user);
    server.service.time.now += 60_000;
    await server.setRules(user.id, [["token", "mapped"]]);
    const first = await server.byToken(before.token);
    const answer = await server.atProvider(user, { receipt: receiptOf(first) });
    expect(methodsOf(answer)).toEqual([201, ["password", "token", "mapped"]]);
    expect(answer.body.token.expires_at).toBe(before.body.token.expires_at);
    expect(answer.body.token.audit_ids[1]).toBe(before.body.token.audit_ids[0]);
  });

  it("is not needed for both methods at once, and does no harm", async () => {
    const user = await server.add(BOTH);
    const identity = {
      methods: ["password", "mapped"],
      password: { user: { id: user.id, password: PASSWORD } },
      mapped: { identity_provider: "idp", protocol: "mapped" },
    };
    const headers = asForwarded(asserted(user.name));
    for (const receipt of ["", receiptOf(await server.byPassword(user))])
      expect(methodsOf(await server.authenticate(identity, { headers, receipt }))).toEqual([
        201,
        ["password", "mapped"],
      ]);
  });

  it("is issued again for the same method", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.byPassword(user));
    expect(seen(await server.byPassword(user, { receipt }))).toEqual(asks(["password"]));
    expect(seen(await server.byPassword(user, { receipt: "" }))).toEqual(asks(["password"]));
  });

  it("is worth nothing beside a wrong second method", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.atProvider(user));
    expect(seen(await server.byPassword(user, { receipt, password: "wrong" }))).toEqual(REFUSED);
  });

  it("counts for its own user alone", async () => {
    const [user, other, free] = [await server.add(BOTH), await server.add(BOTH), await server.add()];
    const receipt = receiptOf(await server.byPassword(user));
    expect(seen(await server.atProvider(other, { receipt }))).toEqual(REFUSED);
    expect(seen(await server.byPassword(free, { receipt }))).toEqual(REFUSED);
  });

  it("is refused where it is none, though the login needs none", async () => {
    const [user, free] = [await server.add(BOTH), await server.add()];
    const { token } = await server.byPassword(free);
    for (const receipt of ["garbage", token, `${receiptOf(await server.byPassword(user))}A`])
      for (const each of [user, free])
        expect(seen(await server.byPassword(each, { receipt }))).toEqual(REFUSED);
  });

  it("is never taken for a token", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.byPassword(user));
    expect((await server.check(receipt)).status).toBe(404);
    expect((await server.service.ask("GET", "/v3/auth/projects", { token: receipt })).status).toBe(401);
    expect((await server.byToken(receipt)).status).toBe(404);
    const mapped = { methods: ["mapped"], mapped: { id: receipt } };
    expect((await server.authenticate(mapped)).status).toBe(404);
    const headers = { "x-subject-token": receipt };
    expect((await server.service.ask("DELETE", "/v3/auth/tokens", { headers })).status).toBe(404);
  });

  it("ends after five minutes, counted from its first method", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.byPassword(user));
    server.service.time.now += 299_000;
    expect((await server.atProvider(user, { receipt })).status).toBe(201);
    const renewed = receiptOf(await server.byPassword(user, { receipt }));
    server.service.time.now += 1000;
    expect(seen(await server.atProvider(user, { receipt }))).toEqual(REFUSED);
    expect(seen(await server.atProvider(user, { receipt: renewed }))).toEqual(REFUSED);
  });

  it.each([
    ["an administrator sets another password", { password: "another-password" }, "another-password"],
    ["the user is disabled and enabled", { enabled: false }, PASSWORD],
  ])("ends when %s", async (_change, attributes, password) => {
    const user = await server.add(BOTH);
    const receipts = [receiptOf(await server.byPassword(user)), receiptOf(await server.atProvider(user))];
    await server.change(user.id, attributes);
    await server.change(user.id, { enabled: true });
    server.service.time.now += 1000;
    expect(seen(await server.atProvider(user, { receipt: receipts[0] ?? "" }))).toEqual(REFUSED);
    expect(seen(await server.byPassword(user, { receipt: receipts[1] ?? "", password }))).toEqual(REFUSED);
    const again = await server.byPassword(user, { password });
    expect((await server.atProvider(user, { receipt: receiptOf(again) })).status).toBe(201);
  });

  it("ends when the user changes the password, for which one method is enough", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.byPassword(user));
    const body = { user: { original_password: PASSWORD, password: "another-password" } };
    expect((await server.service.ask("POST", `/v3/users/${user.id}/password`, { body })).status).toBe(204);
    expect(seen(await server.atProvider(user, { receipt }))).toEqual(REFUSED);
    server.service.time.now += 1000;
  });

  it("ends with the sessions of the provider that it rests on", async () => {
    const user = await server.add(BOTH);
    const [own, federated] = [
      receiptOf(await server.byPassword(user)),
      receiptOf(await server.atProvider(user)),
    ];
    expect((await server.service.ask("POST", `${PROVIDER}/end_sessions`)).status).toBe(204);
    expect(seen(await server.byPassword(user, { receipt: federated }))).toEqual(REFUSED);
    server.service.time.now += 1000;
    expect((await server.atProvider(user, { receipt: own })).status).toBe(201);
  });

  it("rests on its provider: is refused while that is disabled, and leads to a token of it", async () => {
    const user = await server.add(BOTH);
    const receipt = receiptOf(await server.atProvider(user));
    const { body, token } = await server.byPassword(user, { receipt });
    expect(body.token.user["OS-FEDERATION"]).toMatchObject({ identity_provider: { id: "idp" } });
    const enable = (enabled: boolean) =>
      server.service.ask("PATCH", PROVIDER, { body: { identity_provider: { enabled } } });
    await enable(false);
    expect(seen(await server.byPassword(user, { receipt }))).toEqual(REFUSED);
    expect((await server.check(token)).status).toBe(404);
    await enable(true);
    expect(seen(await server.byPassword(user, { receipt }))).toEqual(REFUSED);
    server.service.time.now += 1000;
  });

  it("expires after IDENTITY_RECEIPT_LIFETIME", async () => {
    const brief = await loginServer(databases, { ...ENV, IDENTITY_RECEIPT_LIFETIME: "10" });
    const federated = [{ idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: "ann" }] }];
    const options = { multi_factor_auth_rules: BOTH };
    await brief.create("users", { name: "ann", domain_id: "default", federated, options });
    const receipt = receiptOf(await brief.login(asserted("ann")));
    const used = () => brief.login(asserted("ann"), AUTH, { headers: { "openstack-auth-receipt": receipt } });
    brief.time.now += 9000;
    expect((await used()).body.receipt.methods).toEqual(["mapped"]);
    brief.time.now += 1000;
    expect((await used()).body).toEqual({ error: REFUSED.error });
    await brief.close();
  });
});
