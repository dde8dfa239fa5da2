/** Effective roles: direct, by group, inherited and implied. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RoleTarget } from "../../src/grants/grant.js";
import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { roleFixture, type RoleFixture } from "../roles/role-fixture.js";

const project = (projectId: string): RoleTarget => ({ kind: "project", projectId });
const domain = (domainId: string): RoleTarget => ({ kind: "domain", domainId });
const SYSTEM: RoleTarget = { kind: "system" };

let fixture: RoleFixture;
/** Chief implies cook, and cook implies help. */
let chief: string;
let cook: string;
let help: string;
beforeEach(async () => {
  fixture = await roleFixture(databases);
  [chief, cook, help] = [await fixture.role("chief"), await fixture.role("cook"), await fixture.role("help")];
  await fixture.imply(chief, cook);
  await fixture.imply(cook, help);
});
afterEach(() => fixture.close());

const rolesOf = async (userId: string, target: RoleTarget, groupIds: string[] = []) =>
  (await fixture.roles.effectiveRoles({ userId, groupIds }, target)).map(({ name }) => name);
const scopesOf = (userId: string, groupIds: string[] = []) => fixture.roles.scopesOf({ userId, groupIds });

describe(`effective roles on ${databases.name}`, () => {
  it("are those granted right there, with all that they imply, by name", async () => {
    await fixture.put(
      `/projects/p/users/alice/roles/${chief}`,
      `/domains/d1/users/alice/roles/${cook}`,
      `/system/users/alice/roles/${help}`,
    );
    expect(await rolesOf("alice", project("p"))).toEqual(["chief", "cook", "help"]);
    expect(await rolesOf("alice", domain("d1"))).toEqual(["cook", "help"]);
    expect(await rolesOf("alice", SYSTEM)).toEqual(["help"]);
    for (const target of [project("child"), project("d1"), project("nope"), domain("d2"), domain("p")])
      expect(await rolesOf("alice", target)).toEqual([]);
    expect(await rolesOf("bob", project("p"))).toEqual([]);
    expect(await rolesOf("unknown", SYSTEM)).toEqual([]);
  });

  it("come through groups: those of the user, and those that an identity provider asserts", async () => {
    await fixture.put(
      `/projects/p/groups/crew/roles/${cook}`,
      `/domains/d2/groups/guests/roles/${help}`,
      `/system/groups/guests/roles/${help}`,
    );
    expect(await rolesOf("alice", project("p"))).toEqual(["cook", "help"]);
    expect(await rolesOf("bob", project("p"))).toEqual([]);
    expect(await rolesOf("bob", project("p"), ["crew", "nope"])).toEqual(["cook", "help"]);
    expect(await rolesOf("alice", domain("d2"), ["guests"])).toEqual(["help"]);
    expect(await rolesOf("alice", SYSTEM, ["guests"])).toEqual(["help"]);
    expect(await scopesOf("bob", ["crew", "guests"])).toEqual({
      projectIds: ["p"],
      domainIds: ["d2"],
      isSystem: true,
    });
  });

  it("are inherited from the domain and from every project above, not where they are given", async () => {
    await fixture.put(
      `/OS-INHERIT/domains/d1/groups/crew/roles/${help}/inherited_to_projects`,
      `/OS-INHERIT/projects/p/users/alice/roles/${cook}/inherited_to_projects`,
      `/OS-INHERIT/projects/d1/users/bob/roles/${chief}/inherited_to_projects`,
    );
    expect(await rolesOf("alice", project("p"))).toEqual(["help"]);
    expect(await rolesOf("alice", project("child"))).toEqual(["cook", "help"]);
    expect(await rolesOf("alice", project("leaf"))).toEqual(["cook", "help"]);
    expect(await rolesOf("alice", project("far"))).toEqual([]);
    expect(await rolesOf("bob", project("leaf"))).toEqual(["chief", "cook", "help"]);
    for (const user of ["alice", "bob"])
      for (const target of [domain("d1"), project("d1"), SYSTEM])
        expect(await rolesOf(user, target)).toEqual([]);
    expect(await scopesOf("alice")).toEqual({
      projectIds: ["child", "leaf", "other", "p"],
      domainIds: [],
      isSystem: false,
    });
    expect((await scopesOf("bob")).projectIds).toEqual(["child", "leaf", "other", "p"]);
  });

  it("are inherited within the domain alone, by a domain as a project too (inheritance-stays-below)", async () => {
    await fixture.put(`/OS-INHERIT/projects/p/users/alice/roles/${chief}/inherited_to_projects`);
    expect(await rolesOf("alice", project("d1"))).toEqual([]);
    expect(await rolesOf("alice", project("d2"))).toEqual([]);
  });

  it("are no roles of a domain, but what those imply", async () => {
    const [own, idle] = [
      await fixture.role("own", { domain_id: "d1" }),
      await fixture.role("idle", { domain_id: "d1" }),
    ];
    await fixture.imply(own, cook);
    await fixture.put(`/projects/p/users/alice/roles/${own}`, `/projects/leaf/users/alice/roles/${idle}`);
    expect(await rolesOf("alice", project("p"))).toEqual(["cook", "help"]);
    expect(await rolesOf("alice", project("leaf"))).toEqual([]);
    expect((await scopesOf("alice")).projectIds).toEqual(["p"]);
  });

  it("are gone with the grant, the membership, the rule and the role", async () => {
    await fixture.put(`/projects/p/groups/crew/roles/${chief}`);
    await fixture.ask("DELETE", `/v3/roles/${cook}/implies/${help}`);
    expect(await rolesOf("alice", project("p"))).toEqual(["chief", "cook"]);
    await fixture.ask("DELETE", `/v3/roles/${cook}`);
    expect(await rolesOf("alice", project("p"))).toEqual(["chief"]);
    await fixture.ask("DELETE", `/v3/projects/p/groups/crew/roles/${chief}`);
    expect(await rolesOf("alice", project("p"))).toEqual([]);
  });
});

describe(`projects of a user on ${databases.name}`, () => {
  const projectsOf = async (query = "") => {
    const { body } = await fixture.get(`/users/alice/projects${query}`);
    return body.projects.map(({ id }: { id: string }) => id);
  };

  it("are those with a role, filtered and in pages", async () => {
    await fixture.put(
      `/OS-INHERIT/domains/d1/users/alice/roles/${help}/inherited_to_projects`,
      `/projects/far/groups/crew/roles/${help}`,
      `/domains/d2/users/alice/roles/${help}`,
    );
    expect(await projectsOf()).toEqual(["child", "far", "leaf", "other", "p"]);
    expect(await projectsOf("?name=LEAF")).toEqual(["leaf"]);
    expect(await projectsOf("?name__startswith=O")).toEqual(["other"]);
    expect(await projectsOf("?domain_id=d2")).toEqual(["far"]);
    for (const value of ["0", "false", "False"])
      expect(await projectsOf(`?enabled=${value}`)).toEqual(["other"]);
    for (const value of ["=1", "=true", "", "=foo"])
      expect(await projectsOf(`?enabled${value}`)).toEqual(["child", "far", "leaf", "p"]);
    const { body } = await fixture.get("/users/alice/projects?limit=3");
    expect(body).toMatchObject({ projects: { length: 3 }, truncated: true });
    expect(await projectsOf("?limit=3&marker=leaf")).toEqual(["other", "p"]);
  });

  it("are shown as projects are", async () => {
    await fixture.put(`/projects/leaf/users/alice/roles/${help}`);
    expect((await fixture.get("/users/alice/projects")).body.projects).toEqual([
      {
        id: "leaf",
        name: "LEAF",
        domain_id: "d1",
        parent_id: "child",
        is_domain: false,
        enabled: true,
        description: "",
        tags: [],
        options: {},
        links: { self: "http://127.0.0.1:5900/v3/projects/leaf" },
      },
    ]);
  });

  it("are seen by the user, and by readers of the user's domain and of the system", async () => {
    const status = async (as: typeof UNSCOPED | null, user = "alice") =>
      (await fixture.get(`/users/${user}/projects`, { as })).status;
    expect(await status({ ...UNSCOPED, userId: "alice" })).toBe(200);
    expect(await status(UNSCOPED)).toBe(403);
    expect(await status(inDomain("d1", "reader"))).toBe(200);
    expect(await status(inDomain("d2", "reader"))).toBe(403);
    expect(await status(inProject("p", "d1", "reader"))).toBe(403);
    expect(await status(SYSTEM_READER)).toBe(200);
    expect(await status(SYSTEM_READER, "nope")).toBe(404);
    expect(await status(null)).toBe(401);
  });
});
