/** Deletes of many rows are sliced, so that SQLite yields to other requests. */
import { expect, it } from "vitest";

import type { GrantHolder } from "../../../../src/grants/grant-service.js";
import { deleteOfDomain } from "../../../../src/platform/database/delete-in-slices.js";
import { deleteProject, findProject } from "../../../../src/projects/project-store.js";
import { sqliteDatabases } from "../../../databases.js";
import { projectServer } from "../../../projects/project-server.js";
import { roleFixture, type RoleFixture } from "../../../roles/role-fixture.js";

const COUNT = 10_000;

interface Tables {
  readonly project: object;
  readonly assignment: { readonly role_id: string };
}

/** Gives a user or group a role in many projects. */
async function grantMany({ database }: RoleFixture, actor: object, roleId: string): Promise<void> {
  const ids = Array.from({ length: COUNT }, (_, index) => `p${index}`);
  const facts = { domain_id: "d1", parent_id: "d1", is_domain: false, enabled: true, description: "" };
  const grant = { target_kind: "project", role_id: roleId, is_inherited: false, ...actor };
  await database.transaction(async (transaction) => {
    const tables = transaction.tables<Tables>();
    for (let from = 0; from < COUNT; from += 500) {
      const some = ids.slice(from, from + 500);
      const projects = some.map((id) => Object.assign({ id, name: id, options: "{}", extra: "{}" }, facts));
      await tables.insertInto("project").values(projects).execute();
      await tables
        .insertInto("assignment")
        .values(some.map((id) => Object.assign({ target_id: id }, grant)))
        .execute();
    }
  });
}

/** Counts how often other work runs during a transaction. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const turn = () => {
    turns++;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isRunning = false;
  return turns;
}

it.each<[string, object, GrantHolder]>([
  ["user", { user_id: "alice" }, { userId: "alice" }],
  ["group", { group_id: "crew" }, { groupId: "crew" }],
])(
  "a %s with thousands of grants is deleted in slices, between which SQLite yields to other requests",
  async (_kind, actor, holder) => {
    const fixture = await roleFixture(sqliteDatabases);
    await grantMany(fixture, actor, await fixture.role("a"));
    const turns = await turnsDuring(() =>
      fixture.database.transaction((transaction) => fixture.grants.deleteOf(transaction, holder)),
    );
    // A single statement would leave one or two.
    expect(turns).toBeGreaterThan(3);
    expect(await fixture.database.tables<Tables>().selectFrom("assignment").selectAll().execute()).toEqual(
      [],
    );
    await fixture.close();
  },
);

it("a domain of any size is deleted in slices, between which SQLite yields to other requests", async () => {
  const service = await projectServer(sqliteDatabases);
  const domainId = await service.domain({ name: "large" });
  const tables = service.database.tables<{ project: object }>();
  const common = { domain_id: domainId, parent_id: domainId, is_domain: false, enabled: true };
  const rows = Array.from({ length: 3000 }, (_, index) =>
    Object.assign({ id: `p${index}`, name: `p${index}`, options: "{}", extra: "{}" }, common),
  );
  for (let begin = 0; begin < rows.length; begin += 500)
    await tables
      .insertInto("project")
      .values(rows.slice(begin, begin + 500))
      .execute();
  let turns = 0;
  await service.database.transaction(async (transaction) => {
    turns = await turnsDuring(() => deleteProject(transaction, domainId));
  });
  // A single statement would leave one or none.
  expect(turns).toBeGreaterThan(2);
  expect(await findProject(service.database, "p2999")).toBeUndefined();
  await service.close();
});

it("a domain whose users have thousands of grants elsewhere is deleted in slices too", async () => {
  const fixture = await roleFixture(sqliteDatabases);
  await grantMany(fixture, { user_id: "carol" }, await fixture.role("a"));
  const turns = await turnsDuring(() =>
    fixture.database.transaction((transaction) =>
      deleteOfDomain(transaction, "user", "d2", (queries, userId) =>
        fixture.grants.deleteOf(queries, { userId }),
      ),
    ),
  );
  expect(turns).toBeGreaterThan(3);
  expect(await fixture.database.tables<Tables>().selectFrom("assignment").selectAll().execute()).toEqual([]);
  await fixture.close();
});
