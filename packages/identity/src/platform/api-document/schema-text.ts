/** JSON schemas in words. */
import type { Schema } from "./openapi-types.js";

/** A member of an object, as a line of a table. */
export interface Member {
  readonly name: string;
  /** How many objects it is inside of. */
  readonly depth: number;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string | undefined;
}

/** Objects inside of objects that are shown. */
const DEPTH = 6;

/** The members of what the schema describes, each followed by its own. */
export function membersOf(schema: Schema, depth = 0): Member[] {
  const { properties = {}, required = [] } = objectIn(schema) ?? {};
  return Object.entries(properties).flatMap(([name, schemaOfMember]) => {
    const { description } = schemaOfMember;
    const isRequired = required.includes(name);
    const member: Member = { name, depth, isRequired, type: typeText(schemaOfMember), description };
    return depth < DEPTH ? [member].concat(membersOf(schemaOfMember, depth + 1)) : [member];
  });
}

/** The object that the value is, or may be, or that a list has. */
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

function rangeText(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}
