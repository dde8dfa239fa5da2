/** A Keystone's database in memory: rows as the drivers return them, by Keystone's table. */
import { isAbsent } from "../../src/import/source/source-values.js";
import type { KeystoneSource, SourceRow } from "../../src/import/source/keystone-source.js";
import { TRANSFERS } from "../../src/import/transfers/transfers.js";

/** Rows by the table that a query begins with; references are added by `references`. */
export type FakeTables = Readonly<Record<string, readonly SourceRow[]>>;

export interface FakeKeystone extends KeystoneSource {
  /** Replaces the rows of tables. */
  set(tables: FakeTables): void;
}

const DOMAIN = {
  id: "default",
  name: "Default",
  extra: "{}",
  enabled: "1",
  domain_id: "<<keystone.domain.root>>",
};

/** A domain, a project, two users with a password each, a role and an assignment, as MariaDB has them. */
export const SMALL_CLOUD: FakeTables = {
  project: [
    { ...DOMAIN, description: "The default domain", parent_id: null, is_domain: "1" },
    {
      id: "p1",
      name: "web",
      extra: '{"cost_center": "CC-42"}',
      description: "",
      enabled: "1",
      domain_id: "default",
      parent_id: "default",
      is_domain: "0",
      option_id: "IMMU",
      option_value: "true",
    },
  ],
  project_tag: [{ project_id: "p1", name: "prod" }],
  user: [user("u1", "alice"), user("u2", "bob")],
  password: [
    {
      user_id: "u1",
      number: "1",
      ...password("$2b$12$rpAFjb840OOD8E6MJbFDK.ubm0ZsW4T9LGTsg8dz3JM4WatBnYqpm"),
    },
  ],
  role: [
    {
      id: "r1",
      name: "reader",
      extra: "{}",
      description: null,
      domain_id: null,
      option_id: null,
      option_value: null,
    },
  ],
  assignment: [assignment("u1"), assignment("u2")],
};

export function user(id: string, name: string, more: SourceRow = {}): SourceRow {
  return {
    id,
    extra: "{}",
    enabled: "1",
    default_project_id: null,
    created_at: "2026-11-22 05:50:34",
    last_active_at: "2026-11-22",
    domain_id: "default",
    local_name: name,
    failed_auth_count: "0",
    failed_auth_at: null,
    nonlocal_name: null,
    federated_name: null,
    option_id: null,
    option_value: null,
    ...more,
  };
}

export function assignment(actorId: string, more: SourceRow = {}): SourceRow {
  return {
    type: "UserProject",
    actor_id: actorId,
    target_id: "p1",
    role_id: "r1",
    inherited: "0",
    known_actor: actorId,
    ...more,
  };
}

/** In microseconds: 2026-11-22 05:50:34.052410 */
function password(hash: string): SourceRow {
  return {
    password_hash: hash,
    self_service: "0",
    created_at: "2026-11-22 05:50:34",
    created_at_int: "1795326634052410",
    expires_at: null,
    expires_at_int: null,
  };
}

/** Knows the queries of the import by the table that they begin with. */
export function fakeKeystone(tables: FakeTables): FakeKeystone {
  let rows = tables;
  return {
    schemaName: "'keystone'",
    set(changed) {
      rows = { ...rows, ...changed };
    },
    async *read(query) {
      yield await Promise.resolve(answer(query, rows));
    },
    close: () => Promise.resolve(),
  };
}

function answer(query: string, tables: FakeTables): readonly SourceRow[] {
  if (query.includes("information_schema")) return schemaRows();
  if (query.includes("alembic_version")) return [{ revision: "c88cdce8f248" }];
  const [, table = ""] = /from "(\w+)" t(?: |$)/.exec(query) ?? [];
  const all = tables[table] ?? [];
  if (query.includes("count(*)")) return [{ count: String(all.length) }];
  const chosen =
    table === "project" ? all.filter((row) => isDomain(row) === query.includes("where t.is_domain")) : all;
  return chosen.map((row) => withReferences(row, query, tables));
}

const isDomain = (row: SourceRow): boolean => row["is_domain"] === "1";

/** As the subqueries do: the id of the row that a column refers to, if it exists. */
function withReferences(row: SourceRow, query: string, tables: FakeTables): SourceRow {
  const found: Record<string, string | null> = {};
  for (const [, table = "", name = ""] of query.matchAll(
    /\(select min\(r\.id\) from "(\w+)" r where .*?\) as "ref_(\w+)"/g,
  )) {
    const value = row[name];
    // MariaDB compares without case.
    const match = (tables[table] ?? []).find(
      ({ id }) => !isAbsent(value) && id?.toLowerCase() === value.toLowerCase(),
    );
    found[`ref_${name}`] = match?.["id"] ?? null;
  }
  return { ...row, ...found };
}

function schemaRows(): SourceRow[] {
  const columns: [string, string][] = [];
  for (const { from, columns: own, uses = {} } of TRANSFERS) {
    for (const column of own) columns.push([from, column]);
    for (const [table, names] of Object.entries(uses))
      for (const column of names) columns.push([table, column]);
  }
  return [...columns, ["alembic_version", "version_num"]].map(([table = "", column = ""]) => ({
    table_name: table,
    column_name: column,
  }));
}
