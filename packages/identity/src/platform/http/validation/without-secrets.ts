/**
 * Masks the secrets of a request for error messages and the log.
 *
 * A value is a secret by its name, whatever its type. Where a schema has secrets in an object, any other value instead of that object
 * is masked too, and so are unknown members next to the secret, such as a misspelled password.
 */
import type { Schema } from "./schema-fault.js";

/** The ends of names of secrets: `password`, `client_secret`, `adminPass`, `token`. */
const SECRET_NAME = /(?:pass(?:word|wd|code|phrase)?|secret|token|(?:private|api)_?key|blob)$/i;

/**
 * The value with secrets replaced by placeholders of their types.
 *
 * @param schema Of the value; unknown, if left out.
 */
export function withoutSecrets(value: unknown, schema: Schema = {}): unknown {
  return masked(value, [schema], false);
}

/** @param schemas Of the value, as alternatives. @param isSecret Whether it is part of a secret. */
function masked(value: unknown, schemas: readonly Schema[], isSecret: boolean): unknown {
  const shapes = schemas.flatMap(branchesOf);
  const isSensitive = isSecret || shapes.some(holdsSecrets);
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: item }) => (isObject(item) ? [item] : []));
    if (isSensitive && items.length === 0) return [];
    return value.map((item) => masked(item, items, isSecret));
  }
  if (!isObject(value)) return isSensitive ? hidden(value) : value;
  if (isSensitive && shapes.every(({ properties }) => properties === undefined)) return {};
  const isBesideSecrets = isSecret || shapes.some(hasSecretMembers);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const declared = shapes.flatMap((shape) => memberOf(shape, name));
      if (isBesideSecrets && !isPlacedWell(member, declared)) return [name, hidden(member)];
      // The login method `password` is an object that contains a secret, and not a secret as a whole.
      const isWholeSecret = isSecretMember(name, declared) && !declared.some(holdsSecrets);
      return [name, masked(member, declared, isSecret || isWholeSecret)];
    }),
  );
}

/** By its name, unless the schema has another type: `lock_password` is a boolean. */
function isSecretMember(name: string, declared: readonly Schema[]): boolean {
  if (!SECRET_NAME.test(name)) return false;
  const types = declared.flatMap(branchesOf).flatMap(({ type = [] }) => type);
  return types.length === 0 || types.some((type) => type === "string" || type === "object");
}

/** Whether the schema knows the member, and its members if it has any. */
function isPlacedWell(member: unknown, declared: readonly Schema[]): boolean {
  if (typeof member !== "object" || member === null) return declared.length > 0;
  return declared.flatMap(branchesOf).some(({ properties, items }) => (properties ?? items) !== undefined);
}

/** The schema itself and its alternatives. */
function branchesOf(schema: Schema): Schema[] {
  const { anyOf, oneOf, allOf } = schema as Readonly<Record<string, readonly Schema[] | undefined>>;
  return [schema, ...[anyOf, oneOf, allOf].flatMap((branches = []) => branches.flatMap(branchesOf))];
}

function memberOf({ properties }: Schema, name: string): Schema[] {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return [];
  return [properties[name] as Schema];
}

const known = new WeakMap<Schema, boolean>();

/** Whether values of the schema may contain secrets. */
function holdsSecrets(schema: Schema): boolean {
  const held =
    known.get(schema) ??
    branchesOf(schema).some(
      (branch) =>
        hasSecretMembers(branch) ||
        membersOf(branch).some(([, member]) => holdsSecrets(member)) ||
        (isObject(branch["items"]) && holdsSecrets(branch["items"])),
    );
  known.set(schema, held);
  return held;
}

/** Whether an object or one of its members has secrets in any case; a protocol has them only in some settings. */
function hasSecretMembers(schema: Schema): boolean {
  return membersOf(schema).some(
    ([name, member]) => isSecretMember(name, [member]) || hasSecretMembers(member),
  );
}

function membersOf({ properties }: Schema): [string, Schema][] {
  return Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hidden(secret: unknown): unknown {
  if (typeof secret === "string") return "***";
  if (typeof secret === "number") return 0;
  if (typeof secret !== "object" || secret === null) return secret;
  return Array.isArray(secret) ? [] : {};
}
