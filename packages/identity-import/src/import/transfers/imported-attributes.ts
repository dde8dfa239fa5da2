/** Attributes of clients, Keystone's columns `extra`: what the API would store of them. */
import { type Attributes, extraOf, hasNul, isNestedTooDeep } from "@hamkit/identity/import-support/api-rules";

import { refusal } from "../api-rules.js";
import type { SourceRow } from "../source/keystone-source.js";
import { isAbsent } from "../source/source-values.js";
import type { TransferContext } from "../table-transfer.js";

export interface AttributeRules {
  /** Members that the API never stores as attributes: they would hide the resource's own, or show what it keeps secret. */
  readonly known: readonly string[];
  /** The schemas of attributes that the API checks, by name. */
  readonly typed?: Readonly<Record<string, object>>;
}

type Notes = Pick<TransferContext, "note">;

/** The attributes of a row, as JSON. Members that the API does not store are dropped, and named without their values. */
export function extraIn(row: SourceRow, rules: AttributeRules, context: Notes): string {
  return JSON.stringify(withoutRefused(attributesIn(row, context), rules, context));
}

/** All members of `extra`. Text that is no JSON object is dropped: no request can make it. */
export function attributesIn(row: SourceRow, { note }: Notes): Attributes {
  const text = row["extra"];
  if (isAbsent(text) || text === "") return {};
  const dropped = (reason: string): Attributes => {
    note("extra", `${reason}: all attributes are dropped`);
    return {};
  };
  if (isNestedTooDeep(text)) return dropped("is nested too deep");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return dropped("is not JSON");
  }
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) return dropped("is not a JSON object");
  if (hasInexactNumber(text))
    note("extra", "has a number with more digits than JSON numbers keep here: it is rounded");
  return value as Attributes;
}

export function withoutRefused(
  attributes: Attributes,
  { known, typed = {} }: AttributeRules,
  { note }: Notes,
): Attributes {
  const result: Record<string, unknown> = extraOf(attributes, [...known, "__proto__"]);
  for (const name of Object.keys(attributes))
    if (!Object.hasOwn(result, name))
      note(
        "extra",
        `the API does not store the member ${JSON.stringify(name)} as an attribute: it is dropped`,
      );
  for (const [name, value] of Object.entries(result)) {
    const schema = typed[name];
    const reason = hasNul([name, value]) ? "contains the character U+0000" : schema && refusal(schema, value);
    if (reason === undefined) continue;
    note("extra", `the API refuses the member ${JSON.stringify(name)}: ${reason}; it is dropped`);
    delete result[name];
  }
  return result;
}

/** A whole number above 2^53 loses digits in JavaScript, as in a request. */
function hasInexactNumber(text: string): boolean {
  if (!/\d{16}/.test(text)) return false;
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (outside.match(/-?\d{16,}(?![\d.eE])/g) ?? []).some(
    (digits) => String(BigInt(digits)) !== String(Number(digits)),
  );
}
