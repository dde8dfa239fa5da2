/** Attacks on SCIM: ids of another provider, names of prototypes, and bodies that are too large. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { operations, scimServer, USER, type ScimServer } from "./scim-server.js";

let service: ScimServer;
let theirUser: string;
let theirGroup: string;
beforeAll(async () => {
  service = await scimServer(sqliteDatabases);
  const { domain_id: domainId } = (await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp")).body
    .identity_provider;
  // In the same domain.
  await service.addProvider("theirs", { domain_id: domainId });
  const options = { provider: "theirs" };
  theirUser = (await service.push("POST", "/Users", { userName: "victim", externalId: "v" }, options)).body
    .id;
  const group = { displayName: "Victims", members: [{ value: theirUser }] };
  theirGroup = (await service.push("POST", "/Groups", group, options)).body.id;
});
afterAll(() => service.close());

const admin = async () => (await service.ask("GET", "/v3/users?name=admin")).body.users[0].id as string;

describe("the client of one provider", () => {
  it("neither sees nor changes users of another provider, or local ones", async () => {
    for (const id of [theirUser, await admin(), "x", "%00", "..%2fUsers", "__proto__"]) {
      expect([404, 400]).toContain((await service.push("GET", `/Users/${id}`)).status);
      for (const [method, body] of [
        ["PUT", { userName: "taken-over" }],
        ["PATCH", operations({ op: "replace", path: "active", value: false })],
        ["DELETE", undefined],
      ] as const)
        expect([404, 400]).toContain((await service.push(method, `/Users/${id}`, body)).status);
    }
    for (const filter of [
      'userName eq "victim"',
      'externalId eq "v"',
      `id eq "${theirUser}"`,
      'userName co "i"',
    ])
      expect(
        (await service.push("GET", `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults,
      ).toBe(0);
    const own = await service.push("GET", `/Users/${theirUser}`, undefined, { provider: "theirs" });
    expect(own.body).toMatchObject({ active: true, userName: "victim" });
    expect((await service.ask("GET", `/v3/users/${await admin()}`)).body.user.enabled).toBe(true);
  });

  it("neither sees nor changes groups of another provider, and takes none of its users", async () => {
    const mine = await service.pushUser("mine");
    const add = operations({ op: "add", path: "members", value: [{ value: mine }] });
    for (const [method, body] of [
      ["GET", undefined],
      ["PUT", { displayName: "x", members: [] }],
      ["PATCH", add],
      ["DELETE", undefined],
    ] as const)
      expect((await service.push(method, `/Groups/${theirGroup}`, body)).status).toBe(404);
    for (const filter of ['displayName eq "victims"', `members.value eq "${theirUser}"`])
      expect(
        (await service.push("GET", `/Groups?filter=${encodeURIComponent(filter)}`)).body.totalResults,
      ).toBe(0);
    expect(
      (await service.push("POST", "/Groups", { displayName: "m", members: [{ value: theirUser }] })).status,
    ).toBe(400);
    const { body } = await service.push("GET", `/Groups/${theirGroup}`, undefined, { provider: "theirs" });
    expect(body.members).toHaveLength(1);
  });

  it("changes nothing but its schema by names of prototypes", async () => {
    const hostile = (members: string) =>
      JSON.parse(`{"schemas":["${USER}"],"userName":"proto",${members}}`) as object;
    for (const members of [
      '"constructor":{"prototype":{"polluted":1}}',
      '"toString":"x","hasOwnProperty":"x"',
      '"name":{"constructor":{"polluted":1},"toString":"x"}',
      '"emails":[{"value":"a@b","constructor":{"polluted":1}}]',
    ]) {
      const { status, body } = await service.push("POST", "/Users", hostile(members));
      expect([status, JSON.stringify(body).includes("polluted")]).toEqual([201, false]);
      await service.push("DELETE", `/Users/${body.id}`);
    }
    expect((await service.push("POST", "/Users", hostile('"__proto__":{"polluted":1}'))).status).toBe(400);
    const id = await service.pushUser("patched");
    for (const path of [
      "__proto__.polluted",
      "constructor.prototype",
      "name.__proto__",
      'emails[value eq "x"].__proto__',
    ])
      for (const op of ["add", "replace", "remove"]) {
        const { status } = await service.push("PATCH", `/Users/${id}`, operations({ op, path, value: "1" }));
        expect([200, 400]).toContain(status);
      }
    for (const attributes of ["__proto__", "constructor,toString", "name.__proto__"])
      expect((await service.push("GET", `/Users/${id}?attributes=${attributes}`)).status).toBe(200);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((await service.push("GET", `/Users/${id}`)).body.userName).toBe("patched");
  });

  it("is refused bodies and values that are too large, too deep or no text", async () => {
    const create = async (more: object) =>
      (await service.push("POST", "/Users", { userName: "large", ...more })).status;
    expect(await create({ title: "x".repeat(1025) })).toBe(400);
    expect(await create({ userName: "x".repeat(256) })).toBe(400);
    expect(await create({ userName: "a\u202Eb" })).toBe(400);
    expect(await create({ userName: "   " })).toBe(400);
    expect(await create({ userName: "a\0b" })).toBe(400);
    expect(await create({ userName: { value: ["x"] } })).toBe(400);
    expect(await create({ userName: ["a", "b"] })).toBe(400);
    expect(await create({ externalId: "x".repeat(256) })).toBe(400);
    expect(await create({ emails: Array.from({ length: 101 }, () => ({ value: "x" })) })).toBe(400);
    const filled = Array.from({ length: 100 }, () => ({ value: "x".repeat(1000) }));
    expect(await create({ emails: filled })).toBe(400);
    expect(await create({ unknown: "x".repeat(2 << 20) })).toBe(413);
    expect(await create({ deep: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as object })).toBe(400);
    const members = Array.from({ length: 10_001 }, (_, number) => ({ value: String(number) }));
    for (const [method, path, body] of [
      ["POST", "/Groups", { displayName: "g", members }],
      [
        "PATCH",
        `/Groups/${await service.pushGroup("small")}`,
        operations({ op: "add", path: "members", value: members }),
      ],
    ] as const)
      expect(await service.push(method, path, body)).toMatchObject({
        status: 413,
        body: { scimType: "tooMany", status: "413" },
      });
    const many = operations(
      ...Array.from({ length: 1001 }, () => ({ op: "add", path: "title", value: "x" })),
    );
    expect((await service.push("PATCH", `/Users/${await service.pushUser("many")}`, many)).status).toBe(400);
    for (const body of ["[]", "1", '"x"', "null", "{", '{"userName":"\\ud800"}'])
      expect(
        (
          await service.ask("POST", "/scim/v2/idp/Users", {
            headers: { authorization: `Bearer ${service.secret}`, "content-type": "application/scim+json" },
            body: body as unknown as object,
          })
        ).status,
      ).toBe(400);
  });
});
