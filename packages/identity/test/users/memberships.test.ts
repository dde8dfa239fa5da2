/** Group membership. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, SYSTEM_READER, UNSCOPED, type AskOptions } from "../feature-server.js";
import { userServer, type UserServer } from "./user-server.js";

let service: UserServer;
beforeEach(async () => {
  service = await userServer(databases, { password_expires_days: 10 });
});
afterEach(() => service.close());

async function setUp() {
  const [ann, bob] = [await service.addUser("ann"), await service.addUser("bob", { domain_id: "d2" })];
  const [group, empty] = [await service.addGroup("g", { foo: 1 }), await service.addGroup("empty")];
  for (const user of [ann, bob])
    expect((await service.ask("PUT", `/v3/groups/${group}/users/${user}`)).status).toBe(204);
  return { ann, bob, group, empty };
}
const namesOf = async (url: string, key: "users" | "groups", options?: AskOptions) => {
  const { body } = await service.ask("GET", url, options);
  return body[key].map(({ name }: { name: string }) => name).toSorted();
};

describe(`members of groups on ${databases.name}`, () => {
  it("are added once, seen, and removed", async () => {
    const { ann, group, empty } = await setUp();
    const url = `/v3/groups/${group}/users/${ann}`;
    expect((await service.ask("PUT", url)).status).toBe(204);
    for (const method of ["GET", "HEAD"]) expect((await service.ask(method, url)).status).toBe(204);
    expect(await service.users.groupIdsOf(ann)).toEqual([group]);
    expect(service.ended).toEqual([]);
    expect((await service.ask("DELETE", url)).status).toBe(204);
    expect(service.ended).toEqual([{ userId: ann }]);
    const message = `User '${ann}' not found in group '${group}'`;
    for (const method of ["GET", "DELETE"])
      expect(await service.refusal(method, url)).toEqual([404, message]);
    expect(await namesOf(`/v3/groups/${empty}/users`, "users")).toEqual([]);
  });

  it.each(["PUT", "GET", "DELETE"])("are users and groups that are there: %s", async (method) => {
    const { ann, group } = await setUp();
    const missing = [
      [`/v3/groups/nope/users/${ann}`, "group: nope"],
      [`/v3/groups/${group}/users/nope`, "user: nope"],
      ["/v3/groups/nope/users/unknown", "group: nope"],
    ] as const;
    for (const [url, what] of missing)
      expect(await service.refusal(method, url)).toEqual([404, `Could not find ${what}.`]);
  });

  it("are listed by group, and groups by member", async () => {
    const { ann, group } = await setUp();
    const users = `/v3/groups/${group}/users`;
    expect(await namesOf(users, "users")).toEqual(["ann", "bob"]);
    expect(await namesOf(`${users}?name=bob`, "users")).toEqual(["bob"]);
    expect(await namesOf(`${users}?domain_id=d1`, "users")).toEqual(["ann"]);
    expect(await namesOf(`${users}?enabled=false`, "users")).toEqual([]);
    const { body } = await service.ask("GET", `${users}?limit=1`);
    expect([body.users.length, body.truncated]).toEqual([1, true]);
    expect(await service.refusal("GET", "/v3/groups/nope/users")).toEqual([
      404,
      "Could not find group: nope.",
    ]);

    const groups = `/v3/users/${ann}/groups`;
    expect((await service.ask("GET", groups)).body).toEqual({
      groups: [
        {
          foo: 1,
          id: group,
          name: "g",
          domain_id: "d1",
          description: "",
          membership_expires_at: null,
          links: { self: `http://127.0.0.1:5900/v3/groups/${group}` },
        },
      ],
      links: { next: null, self: `http://127.0.0.1:5900${groups}`, previous: null },
    });
    expect(await namesOf(`${groups}?name=other`, "groups")).toEqual([]);
    expect(await service.refusal("GET", "/v3/users/nope/groups")).toEqual([
      404,
      "Could not find user: nope.",
    ]);
  });

  it("expiry-is-of-the-present-password: are listed by when that expires", async () => {
    const { bob, group } = await setUp();
    service.time.now += 86_400_000;
    await service.ask("PATCH", `/v3/users/${bob}`, { body: { user: { password: "new" } } });
    const conditions = [
      ["2026-12-02T12:00:00Z", ["bob"]],
      ["eq:2026-12-02T12:00:00Z", ["bob"]],
      ["neq:2026-12-02T12:00:00Z", ["ann"]],
      ["lt:2026-12-02T12:00:00Z", ["ann"]],
      ["lte:2026-12-02T12:00:00Z", ["ann", "bob"]],
      ["gt:2026-12-01T12:00:00Z", ["bob"]],
      ["gte:20261201T120000Z", ["ann", "bob"]],
    ] as const;
    for (const [condition, names] of conditions)
      for (const url of [`/v3/groups/${group}/users`, "/v3/users"])
        expect(await namesOf(`${url}?password_expires_at=${condition}`, "users")).toEqual(names);
    expect(await service.refusal("GET", `/v3/groups/${group}/users?password_expires_at=zz:2026`)).toEqual([
      400,
      "The given operator zz is not valid. It must be one of the following: 'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.",
    ]);
    const never = await service.addUser("cyd", { options: { ignore_password_expiry: true } });
    expect((await service.users.getUser(never)).passwordExpiresAt).toBeNull();
    expect(await namesOf("/v3/users?password_expires_at=neq:2026-12-02T12:00:00Z", "users")).toEqual(["ann"]);
  });

  it("are read by readers of both domains, and changed by managers of both", async () => {
    const { ann, bob, group } = await setUp();
    const url = `/v3/groups/${group}/users/${ann}`;
    const reader = inDomain("d1", "reader");
    const manager = inDomain("d1", "manager", "member", "reader");
    for (const as of [SYSTEM_READER, reader, manager]) {
      expect((await service.ask("GET", url, { as })).status).toBe(204);
      expect((await service.ask("GET", `/v3/users/${ann}/groups`, { as })).status).toBe(200);
    }
    expect(await namesOf(`/v3/groups/${group}/users`, "users", { as: reader })).toEqual(["ann"]);
    for (const as of [reader, manager, inDomain("d2", "manager", "member", "reader"), UNSCOPED])
      for (const method of ["GET", "PUT", "DELETE"])
        expect((await service.ask(method, `/v3/groups/${group}/users/${bob}`, { as })).status).toBe(403);
    for (const as of [SYSTEM_READER, reader])
      for (const method of ["PUT", "DELETE"])
        expect((await service.ask(method, url, { as })).status).toBe(403);
    const herself = { ...UNSCOPED, userId: ann };
    expect(await namesOf(`/v3/users/${ann}/groups`, "groups", { as: herself })).toEqual(["g"]);
    for (const denied of [`/v3/users/${bob}/groups`, `/v3/groups/${group}/users`, url])
      expect((await service.ask("GET", denied, { as: herself })).status).toBe(403);
    for (const method of ["DELETE", "PUT"])
      expect((await service.ask(method, url, { as: manager })).status).toBe(204);
  });
});
