/** Assignments and trusts after an upgrade from an earlier release. */
import { describe, expect, it } from "vitest";

import { keystoneImport } from "../../src/migrations/0024-keystone-import.js";
import { migrations } from "../../src/migrations/migrations.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { databases } from "../databases.js";

interface Tables {
  readonly project: object;
  readonly user: object;
  readonly role: object;
  readonly assignment: { user_id: string | null };
  readonly trust: { id: string };
  readonly trust_role: object;
}

const TEXTS = { extra: "{}", options: "{}" };
const TRUST = {
  trustor_user_id: "u",
  trustee_user_id: "u",
  impersonation: true,
  remaining_uses: 3,
  redelegation_count: 1,
  deleted_at: null,
  expires_at: null,
  extra: "{}",
};

describe(`an earlier release on ${databases.name}`, () => {
  it("keeps its assignments, its trusts, and what ends them", async () => {
    const place = await databases.create();
    const database = openDatabase(place.url);
    await migrate(
      database,
      migrations.filter(({ name }) => name < keystoneImport.name),
    );
    const tables = database.tables<Tables>();
    const insert = (table: keyof Tables, row: object) => tables.insertInto(table).values(row).execute();
    await insert("project", { id: "d", name: "d", is_domain: true, enabled: true, ...TEXTS });
    await insert("user", {
      id: "u",
      domain_id: "d",
      name: "u",
      enabled: true,
      created_at: 1,
      failed_logins: 0,
      is_federated: false,
      ...TEXTS,
    });
    await insert("role", { id: "r", name: "r", ...TEXTS });
    const grant = { user_id: "u", group_id: null, target_kind: "domain", target_id: "d", role_id: "r" };
    await insert("assignment", { ...grant, is_inherited: true });
    await insert("trust", { ...TRUST, id: "t1", project_id: "d", redelegated_trust_id: null });
    await insert("trust", { ...TRUST, id: "t2", project_id: "d", redelegated_trust_id: "t1" });
    await insert("trust_role", { trust_id: "t2", role_id: "r" });

    expect(await migrate(database, migrations)).toContain("0024-keystone-import");
    expect(await tables.selectFrom("assignment").selectAll().execute()).toEqual([
      { ...grant, is_inherited: true },
    ]);
    expect(await tables.selectFrom("trust").selectAll().orderBy("id").execute()).toEqual([
      {
        ...TRUST,
        expires_micros: null,
        id: "t1",
        project_id: "d",
        redelegated_trust_id: null,
        used_up_at: null,
      },
      {
        ...TRUST,
        expires_micros: null,
        id: "t2",
        project_id: "d",
        redelegated_trust_id: "t1",
        used_up_at: null,
      },
    ]);
    expect(await tables.selectFrom("trust_role").selectAll().execute()).toEqual([
      { trust_id: "t2", role_id: "r" },
    ]);
    // The references between them are those of the new tables.
    await tables.deleteFrom("trust").where("id", "=", "t1").execute();
    for (const table of ["trust", "trust_role"] as const)
      expect(await tables.selectFrom(table).selectAll().execute()).toEqual([]);
    await insert("trust", { ...TRUST, id: "t3", project_id: null, redelegated_trust_id: null });
    await database.close();
    await place.remove();
  });
});
