/** Fills the database of an identity service with a cloud of N users: by SQL, because requests would take days. */
import { statSync } from "node:fs";

import Sqlite from "libsql";
import pg from "pg";

/** Everything in a cloud of `users`: at a million users 10 million assignments, and a tree of 10,000 projects. */
export function sizesOf(users) {
  return {
    users,
    groups: Math.max(1, users / 100),
    projects: Math.max(10, users / 100),
    assignments: 10 * users,
    revocations: users,
    providers: Math.max(1, users / 1000),
    limits: users / 10,
  };
}

/** Each project has a limit of each of these. */
export const RESOURCES = Array.from({ length: 10 }, (_, index) => `resource-${index}`);
/** Children of a project. */
const FAN_OUT = 10;
const KINDS = { user: "a", group: "b", project: "c", provider: "d", limit: "e", event: "f" };

/** The id of the nth row of a kind: scattered, as random ids are. {@link idSql} is the same in SQL. */
export function idOf(kind, n) {
  const scattered = (BigInt(n) * 2654435761n) % 4294967296n;
  return `${hex(scattered)}${KINDS[kind].repeat(16)}${hex(n)}`;
}

const hex = (number) => number.toString(16).padStart(8, "0");

/** What differs in SQL. */
const DIALECTS = {
  sqlite: {
    hex: (number) => `printf('%08x', ${number})`,
    numbers: (count, name) =>
      `(with recursive counter(${name}) as (select 1 union all select ${name} + 1 from counter where ${name} < ${count}) select ${name} from counter)`,
    yes: "1",
    no: "0",
    indexes:
      "select name, sql as definition from sqlite_master where type = 'index' and tbl_name = 'assignment' and sql is not null",
  },
  postgres: {
    hex: (number) => `lpad(to_hex((${number})::bigint), 8, '0')`,
    numbers: (count, name) =>
      `(select ${name}::bigint from generate_series(1, ${count}) as ${name}) as ${name}_rows`,
    yes: "true",
    no: "false",
    indexes:
      "select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema() and tablename = 'assignment' and indexname not like '%_pkey'",
  },
};

/**
 * @param url The database's address, as the service has it. The service has been started on it once, and is not running.
 * @param seeds Ids of what was created through the API: domain, role, provider.
 */
export async function fillCloud(url, users, seeds) {
  const database = await openDatabase(url);
  const dialect = DIALECTS[database.kind];
  const now = Date.now();
  try {
    const indexes = await database.rows(dialect.indexes);
    for (const { name } of indexes) await database.run(`drop index ${name}`);
    for (const statement of statementsFor(users, { ...seeds, now, dialect })) await database.run(statement);
    for (const { definition } of indexes) await database.run(definition);
    if (database.kind === "postgres") await database.run("analyze");
  } finally {
    await database.close();
  }
}

function statementsFor(users, { domain, role, provider, now, dialect }) {
  const size = sizesOf(users);
  const { numbers, yes, no } = dialect;
  const id = (kind, n) =>
    `${dialect.hex(`((${n}) * 2654435761) % 4294967296`)} || '${KINDS[kind].repeat(16)}' || ${dialect.hex(n)}`;
  const parent = `case when n <= ${FAN_OUT} then '${domain}' else ${id("project", `(n - 1) / ${FAN_OUT}`)} end`;
  return [
    `insert into project (id, extra, domain_id, parent_id, is_domain, name, description, enabled, options)
       select ${id("project", "n")}, '{}', '${domain}', ${parent}, ${no}, 'project-' || n, '', ${yes}, '{}'
       from ${numbers(size.projects, "n")}`,
    `insert into "user" (id, extra, domain_id, name, enabled, options, created_at, failed_logins, is_federated)
       select ${id("user", "n")}, '{}', '${domain}', 'user-' || n, ${yes}, '{}', ${now}, 0, ${no}
       from ${numbers(size.users, "n")}`,
    // All have the administrator's password: hashing a million would take a day.
    `insert into user_password (user_id, number, hash, is_self_service, created_at)
       select ${id("user", "n")}, 1, hash, ${no}, ${now} from ${numbers(size.users, "n")},
       (select hash from user_password limit 1) as administrator`,
    `insert into "group" (id, extra, domain_id, name, description)
       select ${id("group", "n")}, '{}', '${domain}', 'group-' || n, '' from ${numbers(size.groups, "n")}`,
    `insert into group_member (group_id, user_id)
       select ${id("group", `n % ${size.groups} + 1`)}, ${id("user", "n")} from ${numbers(size.users, "n")}`,
    // 13 has no divisor in common with the number of projects: ten different ones for each user.
    `insert into assignment (user_id, target_kind, target_id, role_id, is_inherited)
       select ${id("user", "n")}, 'project', ${id("project", `(n * 7 + k * 13) % ${size.projects} + 1`)}, '${role}', ${no}
       from ${numbers(10, "k")}, ${numbers(size.users, "n")}`,
    // As many as tokens that were revoked singly; each tenth revokes those of a user until now.
    `insert into revocation_event (id, audit_id, user_id, issued_before, revoked_at, position)
       select ${id("event", "n")},
         case when n % 10 = 0 then null else substr(${id("event", "n + 7")}, 1, 22) end,
         case when n % 10 = 0 then ${id("user", "n")} else null end,
         ${now}, ${now}, n from ${numbers(size.revocations, "n")}`,
    `update revocation_position set position = ${now}`,
    `insert into identity_provider (id, domain_id, enabled, description)
       select ${id("provider", "n")}, domain_id, enabled, description
       from ${numbers(size.providers, "n")}, identity_provider where id = '${provider}'`,
    `insert into protocol (idp_id, id, mapping_id, remote_id_attribute, settings)
       select ${id("provider", "n")}, id, mapping_id, remote_id_attribute, settings
       from ${numbers(size.providers, "n")}, protocol where idp_id = '${provider}'`,
    `insert into "limit" (id, registered_limit_id, domain_id, project_id, resource_limit, description)
       select substr(r.id, 1, 8) || ${id("limit", "n")}, r.id, '${domain}', ${id("project", "n")}, n, ''
       from ${numbers(size.projects, "n")}, registered_limit r where r.resource_name like 'resource-%'`,
  ];
}

/** For statements: `rows` of one, or `run` it. */
export async function openDatabase(url) {
  return url.startsWith("sqlite:") ? openSqlite(url) : openPostgres(url);
}

function openSqlite(url) {
  const connection = new Sqlite(url.slice("sqlite:".length));
  connection.exec("pragma synchronous = off; pragma cache_size = -1000000; pragma temp_store = memory");
  return {
    kind: "sqlite",
    rows: async (statement) => connection.prepare(statement).all(),
    run: async (statement) => connection.exec(statement),
    async close() {
      connection.exec("pragma wal_checkpoint(truncate)");
      connection.close();
    },
  };
}

async function openPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'");
  return {
    kind: "postgres",
    rows: async (statement) => (await client.query(statement)).rows,
    run: (statement) => client.query(statement),
    close: () => client.end(),
  };
}

/** Megabytes on disk, with indexes. */
export async function megabytesOf(url) {
  if (url.startsWith("sqlite:")) return statSync(url.slice("sqlite:".length)).size / 1e6;
  const database = await openPostgres(url);
  try {
    const [{ bytes }] = await database.rows(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
         join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind = 'r'`,
    );
    return bytes / 1e6;
  } finally {
    await database.close();
  }
}
