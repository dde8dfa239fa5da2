/** Lists of assignments. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { roleFixture, type RoleFixture } from "../roles/role-fixture.js";

const INHERITED = "OS-INHERIT:inherited_to";

interface View {
  readonly user?: { readonly id: string };
  readonly group?: { readonly id: string };
  readonly role: { readonly id: string };
  readonly scope: {
    readonly project?: { readonly id: string };
    readonly domain?: { readonly id: string };
    readonly [INHERITED]?: string;
  };
  readonly links: Readonly<Record<string, string>>;
}

let fixture: RoleFixture;
/** a implies b, and b implies c; dr is a role of d1 and implies c too. */
let a: string;
let b: string;
let c: string;
let dr: string;
beforeEach(async () => {
  fixture = await roleFixture(databases);
  [a, b, c] = [await fixture.role("a"), await fixture.role("b"), await fixture.role("c")];
  dr = await fixture.role("dr", { domain_id: "d1" });
  await fixture.imply(a, b);
  await fixture.imply(b, c);
  await fixture.imply(dr, c);
  await fixture.put(
    `/OS-INHERIT/domains/d1/groups/crew/roles/${a}/inherited_to_projects`,
    `/OS-INHERIT/projects/p/users/alice/roles/${b}/inherited_to_projects`,
    `/OS-INHERIT/projects/d1/users/alice/roles/${c}/inherited_to_projects`,
    `/projects/leaf/users/alice/roles/${dr}`,
    `/projects/far/users/alice/roles/${c}`,
    `/system/groups/crew/roles/${a}`,
    `/domains/d1/groups/crew/roles/${c}`,
  );
});
afterEach(() => fixture.close());

/** With the names of the roles instead of their ids. */
async function ask(query: string, as: Credentials = SYSTEM_ADMIN) {
  const { status, body } = await fixture.get(`/role_assignments?${query}`, { as });
  const names = { [a]: "a", [b]: "b", [c]: "c", [dr]: "dr" };
  let text = JSON.stringify(body).replaceAll("http://127.0.0.1:5900/v3", "");
  for (const [id, name] of Object.entries(names)) text = text.replaceAll(id, name);
  return { status, body: JSON.parse(text) as { role_assignments: View[]; error: { message: string } } };
}

/** One line for each assignment: who has what where, `+` for what is inherited, and the role that implies it. */
async function list(query: string, as?: Credentials): Promise<string[]> {
  const { body } = await ask(query, as);
  return body.role_assignments.map(lineOf).toSorted();
}

describe(`assignments on ${databases.name}`, () => {
  it("are listed as they were granted, each with where its grant is", async () => {
    expect(await list("user.id=alice")).toEqual([
      "alice b @p+",
      "alice c @d1+",
      "alice c @far",
      "alice dr @leaf",
    ]);
    const { body } = await ask("group.id=crew");
    expect(body).toMatchObject({
      links: { next: null, self: "/role_assignments?group.id=crew", previous: null },
    });
    const byLink = (one: View, other: View) =>
      (one.links["assignment"] ?? "") < (other.links["assignment"] ?? "") ? -1 : 1;
    expect(body.role_assignments.toSorted(byLink)).toEqual([
      {
        links: { assignment: "/OS-INHERIT/domains/d1/groups/crew/roles/a/inherited_to_projects" },
        scope: { domain: { id: "d1" }, [INHERITED]: "projects" },
        group: { id: "crew" },
        role: { id: "a" },
      },
      {
        links: { assignment: "/domains/d1/groups/crew/roles/c" },
        scope: { domain: { id: "d1" } },
        group: { id: "crew" },
        role: { id: "c" },
      },
      {
        links: { assignment: "/system/groups/crew/roles/a" },
        scope: { system: { all: true } },
        group: { id: "crew" },
        role: { id: "a" },
      },
    ]);
  });

  it("are listed by where they are and what they are of", async () => {
    expect(await list("scope.project.id=leaf")).toEqual(["alice dr @leaf"]);
    expect(await list("scope.project.id=p&include_subtree")).toEqual(["alice b @p+", "alice dr @leaf"]);
    expect(await list("scope.domain.id=d1")).toEqual(["crew a @d1+", "crew c @d1"]);
    expect(await list("scope.system=all")).toEqual(["crew a @system"]);
    expect(await list("group.id=crew&scope.system=foo")).toHaveLength(3);
    expect(await list("role.id=nope")).toEqual([]);
    expect(await list(`role.id=${c}`)).toEqual(["alice c @d1+", "alice c @far", "crew c @d1"]);
    expect(await list("group.id=crew&scope.OS-INHERIT:inherited_to=x")).toEqual([
      "crew a @system",
      "crew c @d1",
    ]);
    expect(await list("user.id=&scope.domain.id=d1")).toHaveLength(2);
  });

  it("are listed by whether they are inherited (system-roles-are-not-inherited)", async () => {
    expect(await list("scope.OS-INHERIT:inherited_to=projects")).toEqual([
      "alice b @p+",
      "alice c @d1+",
      "crew a @d1+",
    ]);
    expect(await list("scope.OS-INHERIT:inherited_to=x&scope.domain.id=d1")).toEqual(["crew c @d1"]);
  });

  it("come, in effect, to users, to projects below, and to implied roles", async () => {
    const inEvery = ["child", "leaf", "other", "p"].flatMap((project) => [
      `alice a @${project}+`,
      `alice b @${project}+ of a`,
      `alice c @${project}+`,
      `alice c @${project}+ of b`,
    ]);
    const expected = [
      ...inEvery,
      ...["child", "leaf"].flatMap((project) => [`alice b @${project}+`, `alice c @${project}+ of b`]),
      "alice c @d1",
      "alice c @far",
      "alice c @leaf of dr",
    ];
    expect(await list("user.id=alice&effective")).toEqual(expected.toSorted());
  });

  it("in effect are listed by project, with its subtree, and by role", async () => {
    expect(await list("user.id=alice&effective&scope.project.id=p")).toEqual([
      "alice a @p+",
      "alice b @p+ of a",
      "alice c @p+",
      "alice c @p+ of b",
    ]);
    expect(await list(`effective&role.id=${b}&scope.project.id=p&include_subtree`)).toEqual([
      "alice b @child+",
      "alice b @child+ of a",
      "alice b @leaf+",
      "alice b @leaf+ of a",
      "alice b @p+ of a",
      "carol b @child+ of a",
      "carol b @leaf+ of a",
      "carol b @p+ of a",
    ]);
    expect(await list("user.id=alice&effective&scope.domain.id=d1")).toEqual(["alice c @d1"]);
    expect(await list("effective&scope.OS-INHERIT:inherited_to&user.id=alice")).toEqual([
      "alice c @d1",
      "alice c @far",
      "alice c @leaf of dr",
    ]);
    expect(await list("user.id=carol&effective=1&scope.project.id=other")).toEqual([
      "carol a @other+",
      "carol b @other+ of a",
      "carol c @other+ of b",
    ]);
    expect(await list("user.id=alice&effective=0")).toHaveLength(4);
  });

  it("in effect are those for the system where it is asked for (effective-system)", async () => {
    expect(await list("user.id=alice&effective&scope.system=all")).toEqual([
      "alice a @system",
      "alice b @system of a",
      "alice c @system of b",
    ]);
  });

  it("are not inherited by a domain as a project (inheritance-stays-below)", async () => {
    expect(await list("user.id=alice&effective&scope.project.id=d1")).toEqual([]);
    expect(await list("user.id=alice&effective&scope.project.id=d2")).toEqual([]);
  });

  it("link to the grant, the membership and the rule that they rest on (links-of-implied-roles)", async () => {
    const { body } = await ask(`user.id=alice&effective&scope.project.id=p&role.id=${c}`);
    expect(body.role_assignments.map(({ links }) => links)).toContainEqual({
      assignment: "/OS-INHERIT/domains/d1/groups/crew/roles/a/inherited_to_projects",
      membership: "/groups/crew/users/alice",
      prior_role: "/roles/b/implies/c",
    });
    expect(body.role_assignments.map(({ links }) => links)).toContainEqual({
      assignment: "/OS-INHERIT/projects/d1/users/alice/roles/c/inherited_to_projects",
    });
  });

  it("have names where those are asked for (domains-as-projects-have-names)", async () => {
    const domain = { id: "d1", name: "D1" };
    const { body } = await ask(`user.id=alice&include_names&role.id=${dr}`);
    expect(body.role_assignments).toEqual([
      {
        links: { assignment: "/projects/leaf/users/alice/roles/dr" },
        scope: { project: { id: "leaf", name: "LEAF", domain } },
        user: { id: "alice", name: "ALICE", domain },
        role: { id: "dr", name: "dr", domain },
      },
    ]);
    const { body: ofGroup } = await ask("group.id=crew&include_names&scope.system=all");
    expect(ofGroup.role_assignments).toMatchObject([
      { group: { id: "crew", name: "CREW", domain }, role: { id: "a", name: "a" } },
    ]);
    const { body: inDomains } = await ask("group.id=crew&include_names&scope.domain.id=d1");
    for (const { scope } of inDomains.role_assignments) expect(scope.domain).toEqual(domain);
    const { body: asProject } = await ask("include_names&scope.project.id=d1");
    expect(asProject.role_assignments).toMatchObject([
      { scope: { project: { id: "d1", name: "D1", domain } } },
    ]);
  });

  it.each([
    ["user.id=alice&group.id=crew", 400, "Specify a user or group, not both"],
    ["scope.project.id=p&scope.domain.id=d1", 400, "Specify a domain or project, not both"],
    ["scope.project.id=p&scope.system=all", 400, "Specify system or project, not both"],
    ["scope.domain.id=d1&scope.system=all", 400, "Specify system or domain, not both"],
    [
      "effective&group.id=crew",
      400,
      "Combining effective and group filter will always result in an empty list.",
    ],
    [
      "effective&scope.domain.id=d1&scope.OS-INHERIT:inherited_to=projects",
      400,
      "Combining effective, domain and inherited filters will always result in an empty list.",
    ],
    ["include_subtree", 400, "'scope.project.id' is a dependency of 'include_subtree'"],
    [
      "scope.project.id=",
      400,
      "Invalid input for field/attribute scope.project.id. Value: . '' is too short",
    ],
    ["include_subtree&scope.project.id=nope", 404, "Could not find project: nope."],
    ["effective&scope.project.id=nope", 404, "Could not find project: nope."],
    ["effective&user.id=nope", 404, "Could not find user: nope."],
  ])("are not listed by %s (subtrees-of-projects-that-exist)", async (query, status, message) => {
    const answer = await ask(query);
    expect([answer.status, answer.body.error.message]).toEqual([status, message]);
  });

  it.each(["user.id=nope", "group.id=nope", "scope.project.id=nope", "scope.domain.id=nope"])(
    "are none as they were granted for %s",
    async (query) => {
      expect(await list(query)).toEqual([]);
    },
  );

  it("are seen whole by readers of the system, and in part by readers of a domain", async () => {
    const reader = inDomain("d2", "reader");
    expect(await list("", SYSTEM_READER)).toHaveLength(7);
    expect(await list("", inProject("p", "d1", "admin"))).toHaveLength(7);
    expect(await list("", reader)).toEqual(["alice c @far"]);
    expect(await list("effective", reader)).toEqual(["alice c @far"]);
    expect(await list("scope.project.id=leaf", reader)).toEqual([]);
    expect(await list("scope.project.id=p&include_subtree", inDomain("d1", "reader"))).toHaveLength(2);
    const status = async (query: string, as: Credentials) => (await ask(query, as)).status;
    expect(await status("scope.project.id=p&include_subtree", reader)).toBe(403);
    expect(await status("scope.project.id=nope&include_subtree", reader)).toBe(403);
    expect(await status("", inDomain("d1", "member"))).toBe(403);
    expect(await status("", inProject("p", "d1", "reader"))).toBe(403);
    expect(await status("user.id=unscoped-user", UNSCOPED)).toBe(403);
    expect((await fixture.ask("HEAD", "/v3/role_assignments")).status).toBe(200);
    expect((await fixture.ask("HEAD", "/v3/role_assignments", { as: null })).status).toBe(401);
  });

  it("in effect are what the tokens of each user have", async () => {
    for (const userId of ["alice", "bob", "carol"])
      for (const projectId of ["p", "child", "leaf", "other", "far", "d1", "d2"]) {
        const target = { kind: "project", projectId } as const;
        const listed = new Set<string>();
        for await (const slice of fixture.assignments.listEffective({ userId, target }))
          for (const { roleId } of slice) listed.add(roleId);
        const roles = await fixture.roles.effectiveRoles(
          { userId, groupIds: [] },
          { kind: "project", projectId },
        );
        expect(listed).toEqual(new Set(roles.map(({ id }) => id)));
      }
  });
});

function lineOf({ user, group, role, scope, links }: View): string {
  const place = (scope.project ?? scope.domain)?.id ?? "system";
  const prior = /^\/roles\/(\w+)\/implies/.exec(links["prior_role"] ?? "")?.[1];
  const inherited = scope[INHERITED] === undefined ? "" : "+";
  return `${(user ?? group)?.id} ${role.id} @${place}${inherited}${prior === undefined ? "" : ` of ${prior}`}`;
}
