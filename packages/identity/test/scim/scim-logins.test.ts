/** A pushed user and one who logs in through the provider are one; never one of another provider, or a local one. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { asserted, NAMED } from "../federation/login-server.js";
import { operations, scimServer, type ScimServer } from "./scim-server.js";

const PROVIDERS = "/v3/OS-FEDERATION/identity_providers";

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases);
});
afterAll(() => service.close());
afterEach(() => service.map([NAMED]));

const userOf = ({
  body,
}: {
  readonly body: { readonly token: { readonly user: { readonly id: string } } };
}) => body.token.user;

describe(`logins of pushed users on ${databases.name}`, () => {
  it("are those of the pushed user, whatever the case of the name, and keep its name", async () => {
    const id = await service.pushUser("Anna@example.org", { displayName: "Anna" });
    const first = await service.logIn("anna@example.org");
    expect([first.status, userOf(first)]).toMatchObject([201, { id, name: "Anna@example.org" }]);
    const { user } = (await service.ask("GET", `/v3/users/${id}`)).body;
    expect(user.federated).toEqual([
      { idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: "anna%40example.org" }] },
    ]);
    expect(userOf(await service.logIn("anna@example.org"))).toMatchObject({ id });
  });

  it("are not those of a pushed user whose name looks the same in lower case", async () => {
    const id = await service.pushUser("karl");
    expect(userOf(await service.logIn("KARL"))).toMatchObject({ id });
    // The Kelvin sign, which is a k in lower case, and canonically equivalent to K.
    expect(userOf(await service.logIn("\u212Aarl")).id).not.toBe(id);
  });

  it("before the push make the user who is pushed then", async () => {
    const { id } = userOf(await service.logIn("early"));
    expect(await service.push("GET", `/Users/${id}`)).toMatchObject({ status: 404 });
    const { status, body } = await service.push("POST", "/Users", { userName: "early", displayName: "E" });
    expect([status, body.id, body.active]).toEqual([201, id, true]);
    expect(userOf(await service.logIn("early"))).toMatchObject({ id });
  });

  it("of a user whom an administrator has disabled don't become possible by its first push", async () => {
    const { id } = userOf(await service.logIn("barred"));
    await service.ask("PATCH", `/v3/users/${id}`, { body: { user: { enabled: false } } });
    expect((await service.push("POST", "/Users", { userName: "barred", active: true })).body).toMatchObject({
      id,
      active: false,
    });
    expect((await service.logIn("barred")).status).toBe(401);
    await service.push("PATCH", `/Users/${id}`, operations({ op: "replace", value: { active: true } }));
    expect((await service.logIn("barred")).status).toBe(201);
  });

  it("at the moment of the push are those of one user, however they interleave", async () => {
    const names = Array.from({ length: 8 }, (_, number) => `racer-${number}`);
    const outcomes = await Promise.all(
      names.map(async (userName, number) => {
        const push = () => service.push("POST", "/Users", { userName });
        const [login, pushed] =
          number % 2 === 0
            ? await Promise.all([service.logIn(userName), push()])
            : await Promise.all([push(), service.logIn(userName)]).then(
                ([one, other]) => [other, one] as const,
              );
        return [login.status, pushed.status, userOf(login).id === pushed.body.id];
      }),
    );
    expect(outcomes).toEqual(names.map(() => [201, 201, true]));
    // One of two pushes at the same moment is the second.
    const twice = await Promise.all([1, 2].map(() => service.push("POST", "/Users", { userName: "twin" })));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  });

  it("end with active false, and the tokens at once", async () => {
    const id = await service.pushUser("leaver");
    const { token } = await service.logIn("leaver");
    expect(await service.isValid(token)).toBe(true);
    const { status } = await service.push(
      "PATCH",
      `/Users/${id}`,
      operations({ op: "Replace", path: "active", value: "False" }),
    );
    expect(status).toBe(200);
    expect(await service.isValid(token)).toBe(false);
    expect((await service.logIn("leaver")).status).toBe(401);
    await service.push("PATCH", `/Users/${id}`, operations({ op: "Replace", path: "active", value: "True" }));
    expect(await service.isValid(token)).toBe(false);
    expect((await service.logIn("leaver")).status).toBe(201);
  });

  it("end with the deletion of the user", async () => {
    const id = await service.pushUser("deleted");
    const { token } = await service.logIn("deleted");
    await service.push("DELETE", `/Users/${id}`);
    expect(await service.isValid(token)).toBe(false);
  });

  it("follow another userName, and are no longer those of the former one", async () => {
    const id = await service.pushUser("maiden");
    await service.logIn("maiden");
    await service.push(
      "PATCH",
      `/Users/${id}`,
      operations({ op: "replace", path: "userName", value: "married" }),
    );
    expect(userOf(await service.logIn("married"))).toMatchObject({ id, name: "married" });
    const other = userOf(await service.logIn("maiden"));
    expect(other.id).not.toBe(id);
    // The former name is that of another user from now on.
    expect(
      await service.push(
        "PATCH",
        `/Users/${id}`,
        operations({ op: "replace", path: "userName", value: "maiden" }),
      ),
    ).toMatchObject({ status: 409, body: { scimType: "uniqueness" } });
    expect(await service.pushUser("maiden")).toBe(other.id);
  });

  it("keep expiring groups of a mapping beside pushed ones", async () => {
    await service.ask("PATCH", `${PROVIDERS}/idp`, {
      body: { identity_provider: { authorization_ttl: 10 } },
    });
    const id = await service.pushUser("both");
    const pushed = await service.pushGroup("pushed-group", [id]);
    const mapped = await service.create("groups", { name: "mapped-group", domain_id: "default" });
    const group = { group: { name: "mapped-group", domain: { id: "default" } } };
    await service.map([{ ...NAMED, local: [...NAMED.local, group] }]);
    expect((await service.logIn("both")).status).toBe(201);
    const groups = async () =>
      (await service.ask("GET", `/v3/users/${id}/groups`)).body.groups.map((each: { id: string }) => each.id);
    expect((await groups()).toSorted()).toEqual([pushed, mapped].toSorted());
    service.time.now += 660_000;
    expect(await groups()).toEqual([pushed]);
  });

  it("through another protocol of the provider are those of the pushed user, too", async () => {
    const path = `${PROVIDERS}/idp/protocols/second`;
    await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
    const id = await service.pushUser("twice");
    for (const url of [undefined, `${path}/auth`])
      expect(userOf(await service.login(asserted("twice"), url))).toMatchObject({ id });
    // Without the protocol, the pushed user stays.
    await service.ask("DELETE", path);
    expect((await service.push("GET", `/Users/${id}`)).status).toBe(200);
    expect(userOf(await service.logIn("twice"))).toMatchObject({ id });
  });
});

describe(`a push on ${databases.name}`, () => {
  it("never takes over a user of another provider of the domain", async () => {
    const { id } = userOf(await service.logIn("theirs"));
    const { domain_id: domainId } = (await service.ask("GET", `/v3/users/${id}`)).body.user;
    await service.addProvider("rival", { domain_id: domainId });
    const refused = await service.push("POST", "/Users", { userName: "theirs" }, { provider: "rival" });
    expect(refused).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness", detail: expect.stringContaining("another identity provider") },
    });
    // Nor one that it has pushed, and who has not logged in yet.
    await service.pushUser("unseen");
    expect((await service.push("POST", "/Users", { userName: "unseen" }, { provider: "rival" })).status).toBe(
      409,
    );
  });

  it("never takes over a local user that an administrator has linked to the provider", async () => {
    const user = {
      name: "local",
      federated: [{ idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: "linked" }] }],
    };
    const { body } = await service.ask("POST", "/v3/users", { body: { user } });
    expect(body.user.id).toEqual(expect.any(String));
    expect(await service.push("POST", "/Users", { userName: "linked" })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("local user") },
    });
  });

  it("never takes over a user who is in another domain by the mapping", async () => {
    const other = await service.create("domains", { name: "elsewhere" });
    const rule = {
      local: [{ user: { name: "{0}", domain: { id: other } } }],
      remote: [{ type: "REMOTE_USER" }],
    };
    await service.map([rule]);
    expect((await service.logIn("abroad")).status).toBe(201);
    expect(await service.push("POST", "/Users", { userName: "abroad" })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("another domain") },
    });
  });

  it("leaves a local user of the same name alone", async () => {
    const { domain_id: domainId } = (await service.ask("GET", `${PROVIDERS}/idp`)).body.identity_provider;
    const local = await service.create("users", { name: "same", domain_id: domainId });
    const id = await service.pushUser("same");
    expect(id).not.toBe(local);
    await service.push("DELETE", `/Users/${id}`);
    expect((await service.ask("GET", `/v3/users/${local}`)).status).toBe(200);
  });

  it("can't be identified otherwise while there are pushed users", async () => {
    for (const scim_unique_id of ["externalId", null])
      expect(
        await service.ask("PATCH", `${PROVIDERS}/idp`, { body: { identity_provider: { scim_unique_id } } }),
      ).toMatchObject({ status: 409 });
  });

  it("ends with its provider: users and groups are deleted", async () => {
    await service.addProvider("brief");
    const made = await service.push("POST", "/Users", { userName: "b" }, { provider: "brief" });
    const group = { displayName: "brief", members: [{ value: made.body.id }] };
    const { body } = await service.push("POST", "/Groups", group, { provider: "brief" });
    await service.ask("DELETE", `${PROVIDERS}/brief`);
    expect((await service.ask("GET", `/v3/users/${made.body.id}`)).status).toBe(404);
    expect((await service.ask("GET", `/v3/groups/${body.id}`)).status).toBe(404);
    expect((await service.push("GET", "/Users", undefined, { provider: "brief" })).status).toBe(401);
  });
});

describe(`pushed users that are identified by externalId on ${databases.name}`, () => {
  it("log in by it, and need it", async () => {
    const other = await scimServer(databases, { uniqueId: "externalId" });
    try {
      await other.map([
        { local: [{ user: { id: "{0}", name: "{1}" } }], remote: [{ type: "OID" }, { type: "REMOTE_USER" }] },
      ]);
      expect(await other.push("POST", "/Users", { userName: "noid" })).toMatchObject({
        status: 400,
        body: { scimType: "invalidValue" },
      });
      const id = await other.pushUser("max@example.org", { externalId: "0-Max" });
      const login = await other.login(asserted("somebody", { OID: "0-Max" }));
      expect(userOf(login)).toMatchObject({ id, name: "max@example.org" });
      // Case matters in it, and a name is no id.
      for (const OID of ["0-max", "max@example.org"])
        expect(userOf(await other.login(asserted("somebody", { OID }))).id).not.toBe(id);
    } finally {
      await other.close();
    }
  });
});
