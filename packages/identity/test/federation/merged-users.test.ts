/** Users whom release 0.2.0 merged, because it rounded large numbers: no one gets the account until an administrator decides. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { examineMergedUsers } from "../../src/doctor/database-checks.js";
import { mayBeRounded } from "../../src/users/federated/merged-users.js";
import { databases } from "../databases.js";
import { ENV, loginServer, type LoginServer } from "./login-server.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "./openid/test-provider.js";

const NOW = Math.floor(Date.now() / 1000) * 1000;
const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/op/protocols/openid";

describe(`users of release 0.2.0 with numbers as ids on ${databases.name}`, () => {
  let op: TestProvider;
  let server: LoginServer;
  beforeAll(async () => {
    op = await startProvider();
    server = await loginServer(databases, { ...ENV, IDENTITY_ALLOW_HTTP_ISSUERS: "on" }, { now: NOW });
    const rules = [
      {
        remote: [{ type: "OIDC-name" }, { type: "OIDC-uid" }],
        local: [{ user: { name: "{0}", id: "{1}", domain: { id: "default" } } }],
      },
    ];
    const provider = { enabled: true, remote_ids: [op.issuer], domain_id: "default" };
    await put("mappings/numbers", { mapping: { rules } });
    await put("identity_providers/op", { identity_provider: provider });
    for (const id of ["openid", "second"])
      await put(`identity_providers/op/protocols/${id}`, { protocol: protocol() });
  });
  afterAll(() => Promise.all([server.close(), op.close()]));

  const protocol = () => ({
    mapping_id: "numbers",
    settings: {
      type: "openid",
      issuer: op.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      audiences: [AUDIENCE],
    },
  });

  async function put(path: string, body: object): Promise<void> {
    const { status, text } = await server.ask("PUT", `/v3/OS-FEDERATION/${path}`, { body });
    if (status !== 201) throw new Error(text);
  }

  /** @param uid As the provider writes it. */
  async function logIn(uid: string, { name = `user-${uid}`, path = PROTOCOL, more = "" } = {}) {
    const iat = NOW / 1000;
    const claims = `{"iss":"${op.issuer}","aud":"${AUDIENCE}","azp":"cli","sub":"s","email":"e@x","iat":${iat},"exp":${iat + 300}`;
    const token = await op.keys.signText(`${claims},"name":${JSON.stringify(name)},"uid":${uid}${more}}`);
    return server.ask("POST", `${path}/auth`, { token: "", headers: { authorization: `Bearer ${token}` } });
  }

  /** A user whom release 0.2.0 stored under an id. */
  async function stored(id: string): Promise<string> {
    const { body, status } = await logIn(JSON.stringify(id));
    expect(status).toBe(201);
    await server.database
      .tables<{ federated_user: { unique_id: string; is_exact: boolean | null } }>()
      .updateTable("federated_user")
      .set({ is_exact: null })
      .where("unique_id", "=", id)
      .execute();
    return body.token.user.id as string;
  }

  const decide = (userId: string, id: string) =>
    server.ask("PATCH", `/v3/users/${userId}`, {
      body: {
        user: { federated: [{ idp_id: "op", protocols: [{ protocol_id: "openid", unique_id: id }] }] },
      },
    });

  it("numbers beyond 2^53 are users of their own, without a decision where none of them has logged in before", async () => {
    const ids = [];
    for (const uid of [
      "100002348117421472",
      "100002348117421471",
      "100002348117421473",
      "100002348117421470",
    ]) {
      const { status, body } = await logIn(uid);
      expect(status).toBe(201);
      ids.push(body.token.user.id);
      expect((await logIn(uid)).body.token.user.id).toBe(ids.at(-1));
    }
    expect(new Set(ids).size).toBe(4);
  });

  it("no one gets an account that may be that of several, also not by another protocol, and the log says so", async () => {
    const merged = await stored("110002348117421470");
    for (const uid of ["110002348117421471", "110002348117421470", "110002348117421473"])
      for (const path of [PROTOCOL, PROTOCOL.replace("openid", "second")]) {
        expect((await logIn(uid, { path })).status).toBe(403);
        const { step, reason } = server.refusals.at(-1) as { step: string; reason: string };
        expect(step).toBe("user");
        for (const part of [uid, "110002348117421470", merged]) expect(reason).toContain(part);
      }
    expect((await logIn('"110002348117421470"')).body.token.user.id).toBe(merged);
  });

  it("an administrator's decision gives the account to its owner, and the others get new ones", async () => {
    const merged = await stored("120002348117421470");
    const owner = "120002348117421472";
    expect((await decide(merged, owner)).status).toBe(200);
    expect((await logIn(owner)).body.token.user.id).toBe(merged);
    const others = [];
    for (const uid of ["120002348117421471", "120002348117421470"]) {
      const { status, body } = await logIn(uid);
      expect(status).toBe(201);
      others.push(body.token.user.id);
      expect((await logIn(uid)).body.token.user.id).toBe(body.token.user.id);
    }
    expect(new Set([...others, merged]).size).toBe(3);
  });

  it("the decision may be that the id is right", async () => {
    const merged = await stored("9007199254740992");
    expect((await logIn("9007199254740993")).status).toBe(403);
    expect((await decide(merged, "9007199254740992")).status).toBe(200);
    expect((await logIn("9007199254740992")).body.token.user.id).toBe(merged);
    const other = await logIn("9007199254740993");
    expect(other.status).toBe(201);
    expect(other.body.token.user.id).not.toBe(merged);
  });

  it("users whose id is no large number are not asked, whatever other claims they have", async () => {
    const kim = await stored("kim");
    const { body } = await logIn('"kim"', { more: ',"tenant":9007199254740993' });
    expect(body.token.user.id).toBe(kim);
  });

  it("the doctor lists the accounts, and a decision takes one off the list", async () => {
    const merged = await stored("130002348117421470");
    const exact = await stored("110169484474386276334");
    const [finding] = await examineMergedUsers(server.database);
    expect(finding).toMatchObject({ state: "warning", subject: "providers" });
    expect(finding?.text).toContain(`${merged} (id "130002348117421470"`);
    expect(finding?.text).not.toContain(exact);
    await decide(merged, "130002348117421470");
    const [later] = await examineMergedUsers(server.database);
    expect(later?.text ?? "").not.toContain(merged);
  });
});

it.each([
  ["9007199254740991", false],
  ["9007199254740992", true],
  ["9007199254740993", false], // A double never prints it.
  ["100002348117421470", true],
  ["100002348117421472", false],
  ["acme-100002348117421470", true],
  ["1e%2B21", true],
  ["Infinity", true],
  ["110169484474386276334", false],
  ["kim", false],
  ["20261121", false],
])("%s may be rounded: %s", (id, expected) => {
  expect(mayBeRounded(id)).toBe(expected);
});
