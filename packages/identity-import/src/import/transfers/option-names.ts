/** The options of users, projects and roles: names by the ids in Keystone's tables. */
import { refusal } from "../api-rules.js";
import { isAbsent } from "../source/source-values.js";
import type { ReturnContext, ReturnedRow, TargetRow, TransferContext } from "../table-transfer.js";

const OPTION_NAMES: Readonly<Record<string, string>> = {
  IMMU: "immutable",
  "1000": "ignore_change_password_upon_first_use",
  "1001": "ignore_password_expiry",
  "1002": "ignore_lockout_failure_attempts",
  "1003": "lock_password",
  "1004": "ignore_user_inactivity",
  MFAR: "multi_factor_auth_rules",
  MFAE: "multi_factor_auth_enabled",
};

/**
 * The options of the rows that belong together, each of which has one or none.
 *
 * @param schemas Of the API, by name. A value that it refuses becomes what Keystone reads in it.
 */
export function optionsOf(
  { group, note }: TransferContext,
  schemas: Readonly<Record<string, object>>,
): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const { option_id: id, option_value: text } of group) {
    if (isAbsent(id) || isAbsent(text) || text === "null") continue;
    const name = OPTION_NAMES[id];
    const schema = name === undefined ? undefined : schemas[name];
    if (name === undefined || schema === undefined) {
      note("option_id", `option ${id} is unknown, and not imported`);
      continue;
    }
    const value = parsed(text);
    const reason = value === undefined ? "it is not JSON" : refusal(schema, value);
    if (reason === undefined) {
      options[name] = value;
      continue;
    }
    const read = name === "multi_factor_auth_rules" ? usableRules(value) : isTruthy(value);
    if (read !== undefined) options[name] = read;
    note(
      "option_value",
      `the API refuses ${name}: ${reason}; Keystone reads it as ${JSON.stringify(read) ?? "absent"}`,
    );
  }
  return options;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keystone skips what is no rule, and enforces the others. */
function usableRules(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const rules = value
    .filter((rule): rule is unknown[] => Array.isArray(rule))
    .map((rule) => Array.from(new Set(rule.filter((method) => typeof method === "string"))))
    .filter((rule) => rule.length > 0);
  const unique = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...unique.values()];
}

/** As Python reads a value as a condition; `undefined` without a value. */
function isTruthy(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? Object.keys(value).length > 0 : Boolean(value);
}

const OPTION_IDS = new Map(Object.entries(OPTION_NAMES).map(([id, name]) => [name, id]));

/** The rows of Keystone's table of options, such as `user_option`. */
export function optionRows(
  table: "user" | "project" | "role",
  row: TargetRow,
  { note }: ReturnContext,
): (readonly [string, ReturnedRow])[] {
  const options = JSON.parse(String(row["options"])) as Readonly<Record<string, unknown>>;
  return Object.entries(options).flatMap(([name, value]) => {
    const optionId = OPTION_IDS.get(name);
    if (optionId === undefined) {
      note("options", `the option ${name} has no place in Keystone`);
      return [];
    }
    const option = {
      [`${table}_id`]: String(row["id"]),
      option_id: optionId,
      option_value: JSON.stringify(value),
    };
    return [[`${table}_option`, option] as const];
  });
}
