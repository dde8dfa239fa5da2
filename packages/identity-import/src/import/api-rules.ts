/** The rules of the API for imported values: what it refuses is reported, and only kept where it can do no harm. */
import { pythonRepr, type Schema, schemaFault } from "@hamkit/identity/import-support/api-rules";

import type { ColumnRule, ColumnRules, IfRefused, TargetRow, TransferContext } from "./table-transfer.js";

export const kept = (schema: object): ColumnRule => ({ schema: schema as Schema, ifRefused: "kept" });
export const cleared = (schema: object): ColumnRule => ({ schema: schema as Schema, ifRefused: "cleared" });
export const leftOut = (schema: object): ColumnRule => ({ schema: schema as Schema, ifRefused: "left-out" });

const OUTCOMES: Readonly<Record<Exclude<IfRefused, "left-out">, string>> = {
  kept: "it is kept",
  cleared: "it is dropped",
};

/** The row, as far as the API accepts it; `undefined` if it is left out. A null is never checked: columns say where they have one. */
export function applyRules(
  row: TargetRow,
  rules: ColumnRules,
  { note, leaveOut }: Pick<TransferContext, "note" | "leaveOut">,
): TargetRow | undefined {
  const result = { ...row };
  for (const [column, value] of Object.entries(row)) {
    // PostgreSQL takes no such text, and neither does the API.
    if (typeof value === "string" && value.includes("\0"))
      return leaveOut(column, "contains the character U+0000");
    const rule = rules[column];
    if (rule === undefined || value === null) continue;
    const reason = refusal(rule.schema, value);
    if (reason === undefined) continue;
    if (rule.ifRefused === "left-out") return leaveOut(column, `the API refuses it: ${reason}`, value);
    note(column, `the API refuses it: ${reason}; ${OUTCOMES[rule.ifRefused]}`, value);
    if (rule.ifRefused === "cleared") result[column] = null;
  }
  return result;
}

/** Why the API refuses a value, without the value; `undefined` if it does not. */
export function refusal(schema: object, value: unknown): string | undefined {
  const fault = schemaFault(schema as Schema, value);
  return fault?.reason.replace(`${pythonRepr(fault.value)} `, "");
}
