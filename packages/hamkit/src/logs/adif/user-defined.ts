/**
 * User-defined fields: the header of a log names them, and the two ADIF formats write that differently.
 *
 * .adi has `<USERDEF1:19:E>SweaterSize,{S,M,L}`, .adx `<USERDEF FIELDID="1" TYPE="E" ENUM="{S,M,L}">SweaterSize</USERDEF>`.
 */
import type { LogField } from "../log.js";

/** A user-defined field as .adx describes it. */
export interface UserDefinition {
  readonly id: string;
  /** As it is written. */
  readonly name: string;
  /** A list in braces; "" without one. */
  readonly choices: string;
  /** A range in braces; "" without one. */
  readonly range: string;
}

/** The definition in a field of a header; `undefined` for other fields. */
export function userDefinitionOf({ name, value }: LogField): UserDefinition | undefined {
  const [, id] = /^USERDEF(\d+)$/.exec(name) ?? [];
  if (id === undefined) return undefined;
  const [, fieldName = "", braces = ""] = /^(.*?)(?:,\s*(\{[^]*\})\s*)?$/s.exec(value) ?? [];
  const isRange = /^\{\s*-?[\d.]*\s*:\s*-?[\d.]*\s*\}$/.test(braces);
  return { id, name: fieldName.trim(), choices: isRange ? "" : braces, range: isRange ? braces : "" };
}

/** The value of a header's field that defines a field, as .adi has it. */
export function userDefinitionText({ name, choices, range }: Omit<UserDefinition, "id">): string {
  const braces = choices === "" ? range : choices;
  return braces === "" ? name : `${name},${braces}`;
}

/** The names, in upper case, of the fields that a header defines. */
export function userDefinedNames(header: readonly LogField[]): ReadonlySet<string> {
  return new Set(header.flatMap((field) => userDefinitionOf(field)?.name.toUpperCase() ?? []));
}
