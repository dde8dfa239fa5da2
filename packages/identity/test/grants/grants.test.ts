/** Grants of roles. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type FeatureResponse } from "../feature-server.js";
import { roleFixture, type RoleFixture } from "../roles/role-fixture.js";

/** Every path below which there are grants, with what is at its start, in its middle and at its end. */
const PLACES = [
  ["/projects/p/users/alice", ""],
  ["/projects/p/groups/crew", ""],
  ["/domains/d1/users/alice", ""],
  ["/domains/d1/groups/crew", ""],
  ["/system/users/alice", ""],
  ["/system/groups/crew", ""],
  ["/OS-INHERIT/projects/p/users/alice", "/inherited_to_projects"],
  ["/OS-INHERIT/projects/p/groups/crew", "/inherited_to_projects"],
  ["/OS-INHERIT/domains/d1/users/alice", "/inherited_to_projects"],
  ["/OS-INHERIT/domains/d1/groups/crew", "/inherited_to_projects"],
] as const;

let fixture: RoleFixture;
let cook: string;
beforeEach(async () => {
  fixture = await roleFixture(databases);
  cook = await fixture.role("cook");
});
afterEach(() => fixture.close());

const status = async (method: string, path: string, as?: Credentials | null) =>
  (await fixture.ask(method, `/v3${path}`, as === undefined ? {} : { as })).status;
const failureOf = ({ status: code, body }: FeatureResponse) => [code, body.error.message as string];

describe(`grants on ${databases.name}`, () => {
  it.each(PLACES)("are given, seen and taken back at %s", async (start, end) => {
    const one = `${start}/roles/${cook}${end}`;
    expect(await status("GET", one)).toBe(404);
    // A repeated grant changes nothing.
    expect(await status("PUT", one)).toBe(204);
    expect(await status("PUT", one)).toBe(204);
    expect(await status("GET", one)).toBe(204);
    expect(await status("HEAD", one)).toBe(204);
    const others = PLACES.filter(([other]) => other !== start);
    for (const [other, tail] of others)
      expect(await status("GET", `${other}/roles/${cook}${tail}`)).toBe(404);
    expect(await status("DELETE", one)).toBe(204);
    expect(await status("DELETE", one)).toBe(404);
    expect(await status("HEAD", one)).toBe(404);
  });

  it.each(PLACES.filter(([start]) => !start.startsWith("/OS-INHERIT/projects")))(
    "are listed at %s",
    async (start, end) => {
      const self = `http://127.0.0.1:5900/v3${start}/roles${end}`;
      expect((await fixture.get(`${start}/roles${end}`)).body).toEqual({
        roles: [],
        links: { next: null, self, previous: null },
      });
      await fixture.put(`${start}/roles/${cook}${end}`);
      const { body } = await fixture.get(`${start}/roles${end}`);
      expect(body.roles).toEqual([
        {
          id: cook,
          name: "cook",
          domain_id: null,
          description: null,
          options: {},
          links: { self: `http://127.0.0.1:5900/v3/roles/${cook}` },
        },
      ]);
    },
  );

  it("that projects inherit from a project have no list, as in Keystone", async () => {
    const path = "/OS-INHERIT/projects/p/users/alice/roles/inherited_to_projects";
    expect(await status("GET", path)).toBe(404);
  });

  it("require that role, user or group, and target exist (inherited-roles-have-an-existing-actor)", async () => {
    const missing = async (method: string, path: string) =>
      failureOf(await fixture.ask(method, `/v3${path}`));
    const could = (kind: string) => [404, `Could not find ${kind}: nope.`];
    for (const [prefix, end] of [
      ["", ""],
      ["/OS-INHERIT", "/inherited_to_projects"],
    ] as const)
      for (const method of ["PUT", "GET"]) {
        const at = (path: string) => missing(method, `${prefix}${path}${end}`);
        expect(await at("/projects/p/users/alice/roles/nope")).toEqual(could("role"));
        expect(await at(`/projects/p/users/nope/roles/${cook}`)).toEqual(could("user"));
        expect(await at(`/projects/p/groups/nope/roles/${cook}`)).toEqual(could("group"));
        expect(await at(`/projects/nope/users/alice/roles/${cook}`)).toEqual(could("project"));
        expect(await at(`/domains/nope/users/alice/roles/${cook}`)).toEqual(could("domain"));
        expect(await missing(method, `/domains/p/users/alice/roles/${cook}`)).toEqual([
          404,
          "Could not find domain: p.",
        ]);
      }
    expect(await missing("GET", "/system/users/nope/roles")).toEqual(could("user"));
    expect(await missing("GET", "/projects/p/groups/nope/roles")).toEqual(could("group"));
    expect(await missing("GET", "/projects/nope/users/alice/roles")).toEqual(could("project"));
    expect(await missing("PUT", "/system/groups/crew/roles/nope")).toEqual(could("role"));
  });

  it("that do not exist can't be revoked; the message names them", async () => {
    const tell = (actor: string, target: string) => [
      404,
      `Could not find role assignment with role: ${cook}, user or group: ${actor}, project, domain, or system: ${target}.`,
    ];
    const revoke = async (path: string) => failureOf(await fixture.ask("DELETE", `/v3${path}/roles/${cook}`));
    expect(await revoke("/projects/p/users/alice")).toEqual(tell("alice", "p"));
    expect(await revoke("/projects/p/users/nope")).toEqual(tell("nope", "p"));
    expect(await revoke("/domains/d1/groups/crew")).toEqual(tell("crew", "d1"));
    expect(await revoke("/system/users/alice")).toEqual(tell("alice", "system"));
    expect(await revoke("/projects/nope/users/alice")).toEqual([404, "Could not find project: nope."]);
  });

  it("of a domain's role are for projects of the domain, any domain, and not the system", async () => {
    const own = await fixture.role("own", { domain_id: "d1" });
    expect(await status("PUT", `/projects/leaf/users/alice/roles/${own}`)).toBe(204);
    expect(await status("PUT", `/domains/d2/users/alice/roles/${own}`)).toBe(204);
    expect(failureOf(await fixture.ask("PUT", `/v3/projects/far/users/alice/roles/${own}`))).toEqual([
      403,
      `Project far must be in the same domain as the role ${own} being assigned.`,
    ]);
    const inherited = `/OS-INHERIT/projects/far/groups/crew/roles/${own}/inherited_to_projects`;
    expect(await status("PUT", inherited)).toBe(403);
    expect(failureOf(await fixture.ask("PUT", `/v3/system/users/alice/roles/${own}`))).toEqual([
      400,
      `Role ${own} is a domain-specific role. Unable to use a domain-specific role in a system assignment.`,
    ]);
  });

  it("may be of a domain as a project", async () => {
    await fixture.put(`/projects/d1/users/alice/roles/${cook}`);
    expect(await status("GET", `/domains/d1/users/alice/roles/${cook}`)).toBe(404);
  });

  it("end with their role", async () => {
    await fixture.put(`/projects/p/users/alice/roles/${cook}`);
    await fixture.ask("DELETE", `/v3/roles/${cook}`);
    expect((await fixture.get("/projects/p/users/alice/roles")).body.roles).toEqual([]);
  });

  it("invalidate cached tokens when granted or revoked", async () => {
    for (const method of ["PUT", "DELETE"]) {
      const before = fixture.database.revision("facts");
      await fixture.ask(method, `/v3/projects/p/users/alice/roles/${cook}`);
      expect(fixture.database.revision("facts")).not.toBe(before);
    }
  });

  it("are given by a domain's managers within their domain, of roles that reach no further than theirs", async () => {
    const member = await fixture.role("member");
    const manager = inDomain("d1", "manager", "member", "reader");
    for (const [start, end] of PLACES.filter(([path]) => !path.startsWith("/system"))) {
      const far = start.replace("/p/", "/far/").replace("/d1/", "/d2/");
      const foreign = start.replace("alice", "carol").replace("crew", "guests");
      for (const method of ["PUT", "DELETE"]) {
        expect(await status(method, `${start}/roles/${member}${end}`, manager)).toBe(204);
        expect(await status(method, `${start}/roles/${cook}${end}`, manager)).toBe(403);
        expect(await status(method, `${far}/roles/${member}${end}`, manager)).toBe(403);
        expect(await status(method, `${foreign}/roles/${member}${end}`, manager)).toBe(403);
        expect(await status(method, `${start}/roles/nope${end}`, manager)).toBe(403);
        const reader = inDomain("d1", "member", "reader");
        expect(await status(method, `${start}/roles/${member}${end}`, reader)).toBe(403);
      }
    }
    expect(await status("PUT", `/projects/d1/users/alice/roles/${member}`, manager)).toBe(403);
    expect(await status("PUT", `/projects/p/users/alice/roles/${member}`, null)).toBe(401);
  });

  it("managers-give-roles-within-reach: are not given by managers if the role is another domain's", async () => {
    const foreign = await fixture.role("member", { domain_id: "d2" });
    const own = await fixture.role("reader", { domain_id: "d1" });
    const manager = inDomain("d1", "manager", "member", "reader");
    expect(await status("PUT", `/domains/d1/users/alice/roles/${foreign}`, manager)).toBe(403);
    expect(await status("PUT", `/domains/d1/users/alice/roles/${own}`, manager)).toBe(204);
    expect(await status("PUT", `/domains/d1/users/alice/roles/${foreign}`)).toBe(204);
    expect(await status("DELETE", `/domains/d1/users/alice/roles/${foreign}`, manager)).toBe(204);
  });

  it("are seen by a domain's readers within their domain, but for roles of other domains", async () => {
    const foreign = await fixture.role("foreign", { domain_id: "d2" });
    await fixture.put(`/domains/d1/users/alice/roles/${foreign}`, `/domains/d1/users/alice/roles/${cook}`);
    const reader = inDomain("d1", "reader");
    expect(await status("GET", `/domains/d1/users/alice/roles/${cook}`, reader)).toBe(204);
    expect(await status("GET", `/domains/d1/users/alice/roles/${foreign}`, reader)).toBe(403);
    expect(await status("GET", "/domains/d1/users/alice/roles", reader)).toBe(200);
    expect(await status("GET", "/projects/p/groups/crew/roles", reader)).toBe(200);
    expect(await status("GET", "/projects/far/users/alice/roles", reader)).toBe(403);
    expect(await status("GET", "/projects/p/users/carol/roles", reader)).toBe(403);
    expect(await status("GET", "/projects/p/users/alice/roles", inProject("p", "d1", "reader"))).toBe(403);
    expect(await status("GET", `/domains/d1/users/alice/roles/${foreign}`, SYSTEM_READER)).toBe(204);
    expect(await status("GET", "/projects/far/users/alice/roles", SYSTEM_READER)).toBe(200);
  });

  it("for the system are given by administrators, and seen by readers of the system", async () => {
    for (const holder of ["users/alice", "groups/crew"]) {
      const one = `/system/${holder}/roles/${cook}`;
      for (const as of [SYSTEM_READER, inDomain("d1", "admin", "manager"), UNSCOPED]) {
        expect(await status("PUT", one, as)).toBe(403);
        expect(await status("DELETE", one, as)).toBe(403);
      }
      expect(await status("PUT", one, inProject("p", "d1", "admin"))).toBe(204);
      expect(await status("GET", one, SYSTEM_READER)).toBe(204);
      expect(await status("GET", `/system/${holder}/roles`, SYSTEM_READER)).toBe(200);
      for (const as of [inDomain("d1", "admin", "reader"), inProject("p", "d1", "reader")]) {
        expect(await status("GET", one, as)).toBe(403);
        expect(await status("GET", `/system/${holder}/roles`, as)).toBe(403);
      }
    }
  });
});
