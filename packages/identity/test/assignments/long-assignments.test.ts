/** Lists of assignments that are too long for memory. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Database } from "../../src/platform/database/database.js";
import { databases } from "../databases.js";
import { inDomain, SYSTEM_ADMIN } from "../feature-server.js";
import { roleFixture, type RoleFixture } from "../roles/role-fixture.js";

/** More than is read at once: of projects, of members, and of grants. */
const PROJECTS = 1100;
const MEMBERS = 12;
const USERS = 1300;

interface View {
  readonly user?: { readonly id: string };
  readonly group?: { readonly id: string };
  readonly role: { readonly id: string };
  readonly scope: { readonly project?: { readonly id: string }; readonly domain?: { readonly id: string } };
  readonly links: { readonly assignment: string };
}

interface Listed {
  readonly role_assignments: View[];
  readonly links: { readonly next: string | null };
  readonly truncated?: boolean;
}

const number = (index: number) => String(index).padStart(5, "0");

async function insertAll(database: Database, table: string, rows: readonly object[]): Promise<void> {
  const tables = database.tables<Record<string, object>>();
  for (let start = 0; start < rows.length; start += 500)
    await tables
      .insertInto(table)
      .values(rows.slice(start, start + 500))
      .execute();
}

let fixture: RoleFixture;
let a: string;
let b: string;
beforeAll(async () => {
  fixture = await roleFixture(databases);
  [a, b] = [await fixture.role("a"), await fixture.role("b")];
  await fixture.imply(a, b);
  const ids = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${number(index)}`);
  const extra = { options: "{}", extra: "{}", enabled: true };
  const project = { domain_id: "d2", parent_id: "d2", is_domain: false, description: "", ...extra };
  const user = { domain_id: "d1", created_at: 0, failed_logins: 0, is_federated: false, ...extra };
  const { database } = fixture;
  await insertAll(
    database,
    "project",
    ids("q", PROJECTS).map((id) => Object.assign({ id, name: id }, project)),
  );
  await insertAll(
    database,
    "user",
    ids("u", USERS).map((id) => Object.assign({ id, name: id }, user)),
  );
  const members = ids("u", MEMBERS).map((user_id) => ({ group_id: "guests", user_id }));
  await insertAll(database, "group_member", members);
  const direct = ids("u", USERS).map((user_id) => ({
    user_id,
    group_id: null,
    target_kind: "project",
    target_id: "p",
    role_id: b,
    is_inherited: false,
  }));
  await insertAll(database, "assignment", direct);
  await fixture.put(`/OS-INHERIT/domains/d2/groups/guests/roles/${a}/inherited_to_projects`);
}, 120_000);
afterAll(() => fixture.close());

const list = async (query: string, as = SYSTEM_ADMIN): Promise<Listed> => {
  const { status, body } = await fixture.get(`/role_assignments?${query}`, { as });
  expect(status).toBe(200);
  return body as Listed;
};
const lineOf = ({ user, group, role, scope, links }: View) =>
  [user?.id ?? group?.id, role.id, scope.project?.id ?? scope.domain?.id, links.assignment].join(" ");
/** The pages of a list, one behind the other. */
async function pages(query: string, as = SYSTEM_ADMIN): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let path: string | undefined = `/role_assignments?${query}`; path !== undefined;) {
    const { status, body } = await fixture.get(path, { as });
    expect(status).toBe(200);
    found.push(body as Listed);
    path = (body as Listed).links.next?.split("/v3")[1];
  }
  return found;
}

describe(`long lists of assignments on ${databases.name}`, () => {
  it("are complete and without repetitions, as granted and in effect", async () => {
    const granted = await list("");
    expect(granted.role_assignments).toHaveLength(USERS + 1);
    expect(granted.links.next).toBeNull();
    expect(granted).not.toHaveProperty("truncated");
    // The first project of the domain is `far`.
    const effective = (await list("effective")).role_assignments.map(lineOf);
    expect(effective).toHaveLength(USERS + MEMBERS * (PROJECTS + 1) * 2);
    expect(new Set(effective).size).toBe(effective.length);
    expect((await list("effective&include_names")).role_assignments).toHaveLength(effective.length);
  });

  it.each([
    ["role.id=B", USERS, USERS + MEMBERS * (PROJECTS + 1)],
    ["scope.project.id=p", USERS, USERS],
    ["scope.project.id=q00007", 0, MEMBERS * 2],
    ["scope.project.id=d2&include_subtree", 0, MEMBERS * (PROJECTS + 1) * 2],
    ["user.id=u00003", 1, 1 + (PROJECTS + 1) * 2],
    ["scope.OS-INHERIT:inherited_to=projects", 1, MEMBERS * (PROJECTS + 1) * 2],
  ])("keep to their filters: %s", async (query, granted, effective) => {
    const asked = query.replace("B", b);
    expect((await list(asked)).role_assignments).toHaveLength(granted);
    expect((await list(`${asked}&effective`)).role_assignments).toHaveLength(effective);
  });

  it("show a reader of a domain what is in it, in effect and as granted", async () => {
    const reader = inDomain("d2", "reader");
    expect((await list("", reader)).role_assignments).toHaveLength(1);
    expect((await list("effective", reader)).role_assignments).toHaveLength(MEMBERS * (PROJECTS + 1) * 2);
  });

  it.each(["", "effective", "effective&scope.project.id=d2&include_subtree", `effective&user.id=u00003`])(
    "come in pages that are the whole list in its order: %s",
    async (query) => {
      const whole = (await list(query)).role_assignments.map(lineOf);
      const found = await pages(`${query}&limit=${query === "effective" ? 2500 : 700}`);
      expect(found.flatMap(({ role_assignments: items }) => items.map(lineOf))).toEqual(whole);
      expect(found.length).toBeGreaterThan(1);
      expect(found.slice(0, -1).every(({ truncated }) => truncated === true)).toBe(true);
      expect(found.at(-1)).not.toHaveProperty("truncated");
    },
    60_000,
  );

  it("go on behind a marker, also where what it names was deleted", async () => {
    const [first] = await pages("limit=1000");
    const last = first?.role_assignments.at(-1);
    const next = first?.links.next?.split("/v3")[1] ?? "";
    await fixture.ask("DELETE", `/v3${last?.links.assignment.split("/v3")[1]}`);
    const { body } = await fixture.get(next);
    expect(body.role_assignments).toHaveLength(USERS + 1 - 1000);
    await fixture.put(last?.links.assignment.split("/v3")[1] ?? "");
  });

  it.each(["x", "bnVsbA", "eyJncmFudCI6NX0", "%00"])("take no marker %j of another kind", async (marker) => {
    const status = marker === "%00" ? 400 : 404;
    expect((await fixture.get(`/role_assignments?marker=${marker}`)).status).toBe(status);
    expect((await fixture.get(`/role_assignments?effective&marker=${marker}`)).status).toBe(status);
  });

  it("are read only as fast as the client reads them, and no further once it is gone", async () => {
    await fixture.server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = fixture.server.server.address() as AddressInfo;
    const headers = { "x-auth-token": JSON.stringify(SYSTEM_ADMIN) };
    const path = "/v3/role_assignments?effective&include_names";
    const asked = get({ host: "127.0.0.1", port, path, headers, agent: false });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    expect(response.headers["content-length"]).toBeUndefined();
    await once(response, "readable");
    // No lock is held: others write and read concurrently.
    await fixture.put(`/projects/far/users/u00000/roles/${a}`);
    await fixture.ask("DELETE", `/v3/projects/far/users/u00000/roles/${a}`);
    asked.destroy();
    expect((await list("user.id=u00003")).role_assignments).toHaveLength(1);
  });
});
