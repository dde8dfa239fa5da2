/** The tables of two Keystones' databases, so that they can be compared row by row. */
import type { KeystoneDatabase } from "./keystone-databases.js";

type Row = Readonly<Record<string, string | null>>;
type Value = unknown;

/** Numbers that a database gives its rows, and what they stand for. */
const NUMBERED: Readonly<Record<string, { readonly number: string; readonly name: string }>> = {
  local_user: { number: "id", name: "user_id" },
  application_credential: { number: "internal_id", name: "id" },
  access_rule: { number: "id", name: "external_id" },
};

/** Columns that hold such a number, and the table of it. */
const REFERENCES: Readonly<Record<string, string>> = {
  "local_user.id": "local_user",
  "password.local_user_id": "local_user",
  "application_credential.internal_id": "application_credential",
  "application_credential_role.application_credential_id": "application_credential",
  "application_credential_access_rule.application_credential_id": "application_credential",
  "application_credential_access_rule.access_rule_id": "access_rule",
  "access_rule.id": "access_rule",
};

/** The named columns that an export may change, and how both sides are read. `undefined` leaves one out. */
const CHANGED: Readonly<Record<string, (value: string | null) => Value>> = {
  // Given by the database, or by the export.
  "password.id": () => undefined,
  "limit.internal_id": () => undefined,
  "registered_limit.internal_id": () => undefined,
  "federated_user.id": () => undefined,
  "revocation_event.id": () => undefined,
  "policy_association.id": () => undefined,
  // Another key, another time: the test decrypts them.
  "credential.key_hash": () => undefined,
  "credential.encrypted_blob": () => undefined,
  "local_user.failed_auth_count": Number,
  // Repeats the roles of `trust_role`.
  "trust.extra": (value) => {
    const { roles: _, ...others } = JSON.parse(value ?? "{}") as Record<string, unknown>;
    return others;
  },
};

/** Request tokens of OAuth 1.0a are not imported. */
const LEFT_OUT = "request_token";

/** By table, each row as a text, in order. */
export async function comparableRows(database: KeystoneDatabase): Promise<Record<string, string[]>> {
  const tables = await database.query(
    "select table_name from information_schema.tables where table_schema = current_schema() order by table_name",
  );
  const rows = new Map<string, readonly Row[]>();
  for (const { table_name: table } of tables)
    if (typeof table === "string" && table !== LEFT_OUT)
      rows.set(table, await database.query(`select * from "${table}"`));
  const names = namesOfNumbers(rows);
  const deleted = new Set(
    (rows.get("trust") ?? []).filter(({ deleted_at: at }) => at !== null).map(({ id }) => id),
  );
  return Object.fromEntries(
    Array.from(rows, ([table, all]) => [
      table,
      all
        .filter((row) => !(table === "trust" && deleted.has(row["id"] ?? null)))
        .filter((row) => !(table === "trust_role" && deleted.has(row["trust_id"] ?? null)))
        .map((row) => JSON.stringify(comparable(row, table, names)))
        .toSorted(),
    ]),
  );
}

function namesOfNumbers(rows: ReadonlyMap<string, readonly Row[]>): Map<string, string | null> {
  return new Map(
    Object.entries(NUMBERED).flatMap(([table, { number, name }]) =>
      (rows.get(table) ?? []).map((row) => [`${table} ${row[number]}`, row[name] ?? null] as const),
    ),
  );
}

function comparable(row: Row, table: string, names: ReadonlyMap<string, string | null>) {
  return Object.fromEntries(
    Object.keys(row)
      .toSorted()
      .map((column) => {
        const place = `${table}.${column}`;
        const value = row[column] ?? null;
        const referred = REFERENCES[place];
        if (referred !== undefined) return [column, names.get(`${referred} ${value}`)];
        const change = CHANGED[place];
        return [column, change === undefined ? parsed(value) : change(value)];
      }),
  );
}

/** JSON by its value: spaces and the order of members don't matter. */
function parsed(value: string | null): Value {
  if (value === null || !/^[[{"]/.test(value)) return value;
  try {
    const inner: unknown = JSON.parse(value);
    return typeof inner === "string" ? [parsed(inner)] : sorted(inner);
  } catch {
    return value;
  }
}

/** With members in alphabetical order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
