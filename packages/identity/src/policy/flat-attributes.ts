/** Members of an object as attributes with dotted names: `target.user.domain_id`. */

export type FlatAttributes = Record<string, unknown>;

/** Levels of objects: deeper ones are left out. */
const MAX_DEPTH = 10;

/** Without a prototype: no attribute is inherited. */
export function noAttributes(): FlatAttributes {
  return Object.create(null) as FlatAttributes;
}

/** Lists stay whole. Keys with a period are left out: `{"user.domain_id": 1}` would pass for the member of another object. */
export function addFlat(attributes: FlatAttributes, prefix: string, value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    attributes[prefix] = value;
    return;
  }
  if (depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value))
    if (!key.includes(".")) addFlat(attributes, `${prefix}.${key}`, member, depth + 1);
}
