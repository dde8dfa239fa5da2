/** Users whom an administrator creates with `federated` links to a provider's unique ids. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { AUTH, loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

/** The `federated` links of a user to a provider. */
const known = (unique_id: unknown, idp_id = "idp", protocol_id = "mapped") => [
  { idp_id, protocols: [{ protocol_id, unique_id }] },
];

describe(`users whom providers know on ${databases.name}`, () => {
  let service: LoginServer;
  let changed = 0;
  beforeAll(async () => {
    service = await loginServer(databases);
    await service.map([NAMED]);
  });
  afterAll(() => service.close());

  const add = (name: string, federated: unknown, more: object = {}) =>
    service.ask("POST", "/v3/users", {
      body: { user: { name, domain_id: "default", federated, ...more } },
    });
  const change = (id: string, attributes: object) =>
    service.ask("PATCH", `/v3/users/${id}`, { body: { user: attributes } });
  const check = async (subject: string) =>
    (await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject } })).status;
  const namesBy = async (query: string) => {
    const { body } = await service.ask("GET", `/v3/users?${query}`);
    return (body.users as { name: string }[]).map(({ name }) => name);
  };

  it("names-of-linked-users-stay: are made with that, shown with it, and log in as themselves", async () => {
    const { status, body } = await add("Ada", known("ada@idp"), { email: "ada@example.org" });
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ name: "Ada", domain_id: "default", federated: known("ada@idp") });
    expect((await service.ask("GET", `/v3/users/${body.user.id}`)).body.user).toEqual(body.user);
    expect(await namesBy("idp_id=idp&protocol_id=mapped&unique_id=ada@idp")).toEqual(["Ada"]);
    expect(await namesBy("idp_id=idp&unique_id__startswith=ada@")).toEqual(["Ada"]);
    expect(await namesBy("idp_id__icontains=DP&unique_id=ada@idp")).toEqual(["Ada"]);
    expect(await namesBy("unique_id__contains=unknown")).toEqual([]);
    await service.map([
      { ...NAMED, local: [{ user: { id: "{0}", name: "Other", email: "x@example.org" } }] },
    ]);
    // Python's `quote` makes `%40` of the sign.
    await change(body.user.id, { federated: known("ada%40idp") });
    const login = await service.login(asserted("ada@idp"));
    expect(login.body.token.user).toMatchObject({
      id: body.user.id,
      name: "Ada",
      domain: { id: "default" },
    });
    expect((await service.ask("GET", `/v3/users/${body.user.id}`)).body.user.email).toBe("ada@example.org");
    await service.map([NAMED]);
  });

  it.each([
    [400, "Could not find Identity Provider: nope.", known("u", "nope")],
    [400, "Could not find federated protocol nope for Identity Provider: idp.", known("u", "idp", "nope")],
    [400, "Invalid input for field/attribute federated. Value: None. None is not of type 'array'", null],
    [400, "Invalid input for field/attribute federated. Value: x. 'x' is not of type 'array'", "x"],
    [400, "Invalid input for field/attribute 0. Value: 1. 1 is not of type 'object'", [1]],
    [
      400,
      "Invalid input for field/attribute 0. Value: {'idp_id': 'idp'}. 'protocols' is a required property",
      [{ idp_id: "idp" }],
    ],
    [
      400,
      "Invalid input for field/attribute protocols. Value: []. [] is too short",
      [{ idp_id: "idp", protocols: [] }],
    ],
    [400, "Invalid input for field/attribute unique_id. Value: 5. 5 is not of type 'string'", known(5)],
    [
      400,
      `String length exceeded. The length of string '${"u".repeat(256)}' exceeds the limit of column unique_id(CHAR(255)).`,
      known("u".repeat(256)),
    ],
    [409, "Conflict occurred attempting to store federated_user - Duplicate entry.", known("taken")],
    [
      409,
      "Conflict occurred attempting to store federated_user - Duplicate entry.",
      [...known("t"), ...known("t")],
    ],
  ])("are not made, nor changed, where it can't be so: %s %s", async (status, message, federated) => {
    await add("taker", known("taken"));
    const refused = await add("refused", federated);
    expect([refused.status, refused.body.error.message]).toEqual([status, message]);
    expect(await namesBy("name=refused")).toEqual([]);

    const { body } = await add(`changed ${(changed += 1)}`, undefined);
    const unchanged = await change(body.user.id, { federated });
    expect([unchanged.status, unchanged.body.error.message]).toEqual([status, message]);
    expect((await service.ask("GET", `/v3/users/${body.user.id}`)).body.user).toEqual(body.user);
  });

  it("are known otherwise after a change, which ends their tokens", async () => {
    const { id } = (await add("Eve", known("eve"))).body.user as { id: string };
    const { token } = await service.login(asserted("eve"));
    expect(await check(token)).toBe(200);
    const renamed = await change(id, { federated: known("eve2") });
    expect(renamed.body.user.federated).toEqual(known("eve2"));
    expect(await check(token)).toBe(404);
    expect((await service.login(asserted("eve2"))).body.token.user.id).toBe(id);
    expect((await service.login(asserted("eve"))).body.token.user.id).not.toBe(id);
    const alone = await change(id, { federated: [] });
    expect(alone.status).toBe(200);
    expect(alone.body.user).not.toHaveProperty("federated");
  });

  it("stay when the protocol is deleted, which revokes their tokens of this protocol", async () => {
    const url = "/v3/OS-FEDERATION/identity_providers/idp/protocols/second";
    await service.ask("PUT", url, { body: { protocol: { mapping_id: "people" } } });
    const { id } = (await add("Fay", known("fay", "idp", "second"))).body.user as { id: string };
    const { token } = await service.login(asserted("fay"), AUTH.replace("mapped", "second"));
    expect(await check(token)).toBe(200);
    expect((await service.ask("DELETE", url)).status).toBe(204);
    expect(await check(token)).toBe(404);
    const { body } = await service.ask("GET", `/v3/users/${id}`);
    expect(body.user).toMatchObject({ name: "Fay", enabled: true });
    expect(body.user).not.toHaveProperty("federated");
  });

  it("lose their roles with a shadow user: the next login of the same id has none", async () => {
    const url = "/v3/OS-FEDERATION/identity_providers/idp/protocols/third";
    const login = async () => {
      await service.ask("PUT", url, { body: { protocol: { mapping_id: "people" } } });
      const { body } = await service.login(asserted("hal"), AUTH.replace("mapped", "third"));
      return (body.token as { user: { id: string } }).user.id;
    };
    const rolesOf = async (id: string) =>
      (await service.ask("GET", `/v3/role_assignments?user.id=${id}`)).body.role_assignments as object[];
    const id = await login();
    const { body } = await service.ask("GET", "/v3/roles?name=reader");
    const [role] = body.roles as { id: string }[];
    const grant = await service.ask("PUT", `/v3/domains/default/users/${id}/roles/${role?.id}`);
    expect(grant.status).toBe(204);
    expect(await rolesOf(id)).toHaveLength(1);
    expect((await service.ask("DELETE", url)).status).toBe(204);
    expect(await login()).toBe(id);
    expect(await rolesOf(id)).toEqual([]);
  });

  it("users-of-providers-have-no-password: shadow users get none, and stay linked to the provider", async () => {
    const { user } = (await service.login(asserted("gil"))).body.token as { user: { id: string } };
    expect(await change(user.id, { password: "a-password" })).toMatchObject({ status: 400 });
    expect(await change(user.id, { federated: [] })).toMatchObject({ status: 400 });
    expect((await change(user.id, { description: "d" })).body.user.federated).toEqual(known("gil"));
    const identity = { methods: ["password"], password: { user: { id: user.id, password: "a-password" } } };
    const login = await service.ask("POST", "/v3/auth/tokens", { body: { auth: { identity } } });
    expect(login.status).toBe(401);
  });

  it("links-stay-in-the-domain: managers of a domain link users to its providers, and to no others", async () => {
    const { token, domainId } = await managerOfDomain();
    const own = { identity_provider: { enabled: true, domain_id: domainId } };
    await service.ask("PUT", "/v3/OS-FEDERATION/identity_providers/own", { body: own });
    const protocol = { mapping_id: "people" };
    const url = "/v3/OS-FEDERATION/identity_providers/own/protocols/mapped";
    await service.ask("PUT", url, { body: { protocol } });
    const make = (name: string, federated: unknown) =>
      service.ask("POST", "/v3/users", { token, body: { user: { name, domain_id: domainId, federated } } });

    const linked = await make("Hal", known("hal", "own"));
    expect([linked.status, linked.body.user?.federated]).toEqual([201, known("hal", "own")]);
    const refused = await make("Ian", known("ian"));
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      "The identity provider idp belongs to another domain than the token.",
    ]);
    expect(await namesBy("name=Ian")).toEqual([]);
    const body = { user: { federated: known("ian") } };
    const changing = await service.ask("PATCH", `/v3/users/${linked.body.user.id}`, { token, body });
    expect(changing.status).toBe(403);
    const { user } = (await service.ask("GET", `/v3/users/${linked.body.user.id}`)).body;
    expect(user.federated).toEqual(known("hal", "own"));
  });

  /** A user with the role `manager` on a domain only, with a token for it. */
  async function managerOfDomain(): Promise<{ readonly token: string; readonly domainId: string }> {
    const domainId = await service.create("domains", { name: "managed" });
    const password = "manager-password";
    const userId = await service.create("users", { name: "manager", domain_id: domainId, password });
    const { body } = await service.ask("GET", "/v3/roles?name=manager");
    await service.ask("PUT", `/v3/domains/${domainId}/users/${userId}/roles/${body.roles[0].id}`);
    const identity = { methods: ["password"], password: { user: { id: userId, password } } };
    const auth = { identity, scope: { domain: { id: domainId } } };
    const { token } = await service.ask("POST", "/v3/auth/tokens", { body: { auth } });
    return { token, domainId };
  }
});
