/**
 * Definitions of user-defined fields in the header, which the two ADIF formats write differently.
 *
 * .adi: `<USERDEF1:19:E>SweaterSize,{S,M,L}`, .adx: `<USERDEF FIELDID="1" TYPE="E" ENUM="{S,M,L}">SweaterSize</USERDEF>`.
 */
import type { LogField } from "../log.js";

/** A user-defined field in the terms of .adx. */
export interface UserDefinition {
  readonly id: string;
  /** In its original case. */
  readonly name: string;
  /** An enumeration in braces; "" without one. */
  readonly choices: string;
  /** A range in braces; "" without one. */
  readonly range: string;
}

/** The definition in a field of a header; `undefined` for other fields. */
export function userDefinitionOf({ name, value }: LogField): UserDefinition | undefined {
  const [, id] = /^USERDEF(\d+)$/.exec(name) ?? [];
  if (id === undefined) return undefined;
  const { fieldName, braces } = splitDefinition(value.trimEnd());
  const isRange = /^\{\s*-?[\d.]*\s*:\s*-?[\d.]*\s*\}$/.test(braces);
  return { id, name: fieldName.trim(), choices: isRange ? "" : braces, range: isRange ? braces : "" };
}

/** The name, and what is in braces behind the first comma that they follow. */
function splitDefinition(text: string): { fieldName: string; braces: string } {
  const comma = text.endsWith("}") ? text.search(/,\s*\{/) : -1;
  if (comma < 0) return { fieldName: text, braces: "" };
  return { fieldName: text.slice(0, comma), braces: text.slice(comma + 1).trimStart() };
}

/** The value of the defining header field in .adi. */
export function userDefinitionText({ name, choices, range }: Omit<UserDefinition, "id">): string {
  const braces = choices === "" ? range : choices;
  return braces === "" ? name : `${name},${braces}`;
}

/** The names, in upper case, of the fields that a header defines. */
export function userDefinedNames(header: readonly LogField[]): ReadonlySet<string> {
  return new Set(header.flatMap((field) => userDefinitionOf(field)?.name.toUpperCase() ?? []));
}
