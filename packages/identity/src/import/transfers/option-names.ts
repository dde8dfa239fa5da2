/** The options of users, projects and roles: names by the ids in Keystone's tables. */
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

/** The options of the rows that belong together, each of which has one or none. */
export function optionsOf({ group, note }: TransferContext): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const { option_id: id, option_value: text } of group) {
    if (isAbsent(id) || isAbsent(text)) continue;
    const name = OPTION_NAMES[id];
    if (name === undefined) note("option_id", `option ${id} is unknown, and not imported`);
    else if (text !== "null") options[name] = JSON.parse(text);
  }
  return options;
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
