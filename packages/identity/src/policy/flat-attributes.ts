/** Members of an object as attributes with dotted names: `target.user.domain_id`. */

export type FlatAttributes = Record<string, unknown>;

/** Levels of objects: deeper ones are left out. */
const MAX_DEPTH = 10;

/** Without a prototype: no attribute is inherited. */
export function noAttributes(): FlatAttributes {
  return Object.create(null) as FlatAttributes;
}

/** A member of an object. */
export interface NamedMember {
  /** Of the attribute: `target.user.options.lock_password`. */
  readonly name: string;
  readonly path: readonly string[];
}

/** The same attributes as of {@link addFlat}, but only those that are named. */
export function addNamed(
  attributes: FlatAttributes,
  named: readonly NamedMember[],
  value: object | undefined,
): void {
  for (const { name, path } of named) {
    let found: unknown = value;
    for (const key of path) found = isPlain(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (found !== undefined && !isPlain(found)) attributes[name] = found;
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists stay whole. Keys with a period are left out: `{"user.domain_id": 1}` would pass for the member of another object. */
export function addFlat(attributes: FlatAttributes, prefix: string, value: unknown, depth = 0): void {
  if (!isPlain(value)) {
    attributes[prefix] = value;
    return;
  }
  if (depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value))
    if (!key.includes(".")) addFlat(attributes, `${prefix}.${key}`, member, depth + 1);
}
