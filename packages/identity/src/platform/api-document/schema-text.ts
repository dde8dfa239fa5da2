/** Describes JSON schemas in words, for the HTML page. */
import type { Schema } from "./openapi-types.js";

/** A member of an object: a row of a table. */
export interface Member {
  readonly name: string;
  /** Nesting level, from 0. */
  readonly depth: number;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string | undefined;
}

const MAX_DEPTH = 6;

/** The members of an object schema, each followed by its nested members. */
export function membersOf(schema: Schema, depth = 0): Member[] {
  const { properties = {}, required = [] } = objectIn(schema) ?? {};
  return Object.entries(properties).flatMap(([name, schemaOfMember]) => {
    const { description } = schemaOfMember;
    const isRequired = required.includes(name);
    const member: Member = { name, depth, isRequired, type: typeText(schemaOfMember), description };
    return depth < MAX_DEPTH ? [member].concat(membersOf(schemaOfMember, depth + 1)) : [member];
  });
}

/** The object schema of a value, of one of its branches, or of its items. */
function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  const inside = [...(schema.items === undefined ? [] : [schema.items]), ...branchesOf(schema)];
  return inside.map(objectIn).find((found) => found !== undefined);
}

/** `text, 1 to 255 characters, or null` */
export function typeText(schema: Schema): string {
  const branches = branchesOf(schema);
  if (branches.length > 0) return [...new Set(branches.map(typeText))].join(", or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  const types = [schema.type ?? "any"].flat().map((type) => nameOf(type, schema));
  return [types.join(" or "), ...limitsOf(schema)].join(", ");
}

function branchesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? [];
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
  any: "anything",
};

function nameOf(type: string, { items, properties, additionalProperties }: Schema): string {
  if (type === "object" && properties !== undefined && additionalProperties === true)
    return "object, which may have other members";
  if (type === "array") return items === undefined ? "list" : `list of: ${typeText(items)}`;
  return NAMES[type] ?? type;
}

function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern } = schema;
  return [
    rangeText(minLength, maxLength, " characters"),
    rangeText(minItems, maxItems, " items"),
    rangeText(minimum, maximum, ""),
    pattern === undefined ? undefined : `matching ${pattern}`,
  ].filter((text) => text !== undefined);
}

function rangeText(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (max === undefined) return `at least ${min}${unit}`;
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`;
}
