/**
 * Finds why a value does not fit a JSON schema, with the messages of Python's `jsonschema`, as in Keystone.
 *
 * Used only for values that do not fit. Keywords are checked in the order of the schema, and the first violation is reported.
 */
import { pythonRepr } from "./python-text.js";

/** A schema; only the keywords below are supported. */
export type Schema = Readonly<Record<string, unknown>>;

/** A violation of a schema. */
export interface SchemaFault {
  /** Names and places from the outside in; none for the value as a whole. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly reason: string;
}

type Keyword = (value: unknown, expected: never, schema: Schema) => string | SchemaFault | undefined;

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (value, type: string | readonly string[]) => {
    const types = [type].flat();
    return types.some((name) => isOfType(value, name)) ? undefined : notOfType(value, types);
  },
  const: (value, expected: unknown) =>
    value === expected ? undefined : `${pythonRepr(expected)} was expected`,
  enum: (value, values: readonly unknown[]) =>
    values.includes(value) ? undefined : `${pythonRepr(value)} is not one of ${pythonRepr(values)}`,
  minLength: (value, least: number) =>
    typeof value === "string" && lengthOf(value) < least ? `${pythonRepr(value)} is too short` : undefined,
  maxLength: (value, most: number) =>
    typeof value === "string" && lengthOf(value) > most ? `${pythonRepr(value)} is too long` : undefined,
  pattern: (value, pattern: string, { title }) => {
    if (typeof value !== "string" || new RegExp(pattern, "u").test(value)) return undefined;
    // A pattern that has a name is known to clients as a format.
    return title === undefined
      ? `${pythonRepr(value)} does not match ${pythonRepr(pattern)}`
      : `${pythonRepr(value)} is not a ${pythonRepr(title)}`;
  },
  minimum: (value, least: number) =>
    typeof value === "number" && value < least
      ? `${pythonRepr(value)} is less than the minimum of ${least}`
      : undefined,
  maximum: (value, most: number) =>
    typeof value === "number" && value > most
      ? `${pythonRepr(value)} is greater than the maximum of ${most}`
      : undefined,
  minItems: (value, least: number) =>
    Array.isArray(value) && value.length < least ? `${pythonRepr(value)} is too short` : undefined,
  maxItems: (value, most: number) =>
    Array.isArray(value) && value.length > most ? `${pythonRepr(value)} is too long` : undefined,
  uniqueItems: (value, isWanted: boolean) =>
    isWanted && Array.isArray(value) && hasTwins(value)
      ? `${pythonRepr(value)} has non-unique elements`
      : undefined,
  items: (value, schema: Schema) =>
    Array.isArray(value) ? faultAmong([...value.entries()], () => schema) : undefined,
  minProperties: (value, least: number) =>
    isRecord(value) && Object.keys(value).length < least
      ? `${pythonRepr(value)} does not have enough properties`
      : undefined,
  maxProperties: (value, most: number) =>
    isRecord(value) && Object.keys(value).length > most
      ? `${pythonRepr(value)} has too many properties`
      : undefined,
  properties: (value, properties: Readonly<Record<string, Schema>>) =>
    isRecord(value)
      ? faultAmong(
          Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)),
          (name) => properties[name] ?? {},
        )
      : undefined,
  required: (value, names: readonly string[]) => {
    const missing = isRecord(value) ? names.find((name) => !Object.hasOwn(value, name)) : undefined;
    return missing === undefined ? undefined : `${pythonRepr(missing)} is a required property`;
  },
  additionalProperties: (value, allowed: boolean | Schema, { properties = {} }) => {
    if (!isRecord(value) || allowed === true) return undefined;
    const extra = Object.entries(value).filter(([name]) => !Object.hasOwn(properties as object, name));
    if (allowed !== false) return faultAmong(extra, () => allowed);
    return extra.length === 0 ? undefined : unexpected(extra.map(([name]) => name));
  },
  anyOf: (value, branches: readonly Schema[]) => {
    const kinds = branches.filter((branch) => kindOf(branch) !== undefined);
    if (kinds.length > 0 && isRecord(value)) return faultOfKind(value, kinds);
    const types = branches.map(({ type }) => type);
    if (types.every((type) => typeof type === "string")) {
      const branch = branches.find(({ type }) => isOfType(value, type as string));
      return branch === undefined ? notOfType(value, types) : schemaFault(branch, value);
    }
    return branches.some((branch) => schemaFault(branch, value) === undefined) ? undefined : underNone(value);
  },
  oneOf: (value, branches: readonly Schema[]) => {
    const fitting = branches.filter((branch) => schemaFault(branch, value) === undefined);
    if (fitting.length === 1) return undefined;
    return fitting.length === 0
      ? underNone(value)
      : `${pythonRepr(value)} is valid under each of ${fitting.map(pythonRepr).join(", ")}`;
  },
};

/** The first violation of a schema; `undefined` if none of these keywords is violated. */
export function schemaFault(schema: Schema, value: unknown): SchemaFault | undefined {
  for (const [keyword, expected] of Object.entries(schema)) {
    const fault = KEYWORDS[keyword]?.(value, expected as never, schema);
    if (typeof fault === "string") return { path: [], value, reason: fault };
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The constant `type` of a schema's objects, if it has one. */
function kindOf({ properties }: Schema): unknown {
  return (properties as Readonly<Record<string, Schema>> | undefined)?.["type"]?.["const"];
}

function faultOfKind(value: Record<string, unknown>, kinds: readonly Schema[]): ReturnType<Keyword> {
  if (!Object.hasOwn(value, "type")) return "'type' is a required property";
  const kind = kinds.find((schema) => kindOf(schema) === value["type"]);
  if (kind !== undefined) return schemaFault(kind, value);
  const reason = `${pythonRepr(value["type"])} is not one of ${pythonRepr(kinds.map(kindOf))}`;
  return { path: ["type"], value: value["type"], reason };
}

function faultAmong<Key extends string | number>(
  entries: Iterable<readonly [Key, unknown]>,
  schemaOf: (key: Key) => Schema,
): SchemaFault | undefined {
  for (const [key, value] of entries) {
    const fault = schemaFault(schemaOf(key), value);
    if (fault !== undefined) return { ...fault, path: [key, ...fault.path] };
  }
  return undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In characters, not in JavaScript's halves of them. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}

function notOfType(value: unknown, types: readonly unknown[]): string {
  return `${pythonRepr(value)} is not of type ${[...new Set(types)].map(pythonRepr).join(", ")}`;
}

function underNone(value: unknown): string {
  return `${pythonRepr(value)} is not valid under any of the given schemas`;
}

function unexpected(names: readonly string[]): string {
  return `Additional properties are not allowed (${names.map(pythonRepr).join(", ")} ${names.length === 1 ? "was" : "were"} unexpected)`;
}
