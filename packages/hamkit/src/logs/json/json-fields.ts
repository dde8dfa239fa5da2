/** Fields as members of an object: a name occurs once in it. */
import type { LogField } from "../log.js";

/** Data type indicators by field name. */
export type FieldTypes = Readonly<Record<string, unknown>>;

/** Unique names and values: a repeated field is named `NAME#2`, `NAME#3`; a name that ends like these gets `#1`. */
export function namedFields(fields: readonly LogField[]): [name: string, value: string][] {
  const times = new Map<string, number>();
  return fields.map(({ name, value }) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [time > 1 || /#\d+$/.test(name) ? `${name}#${time}` : name, value];
  });
}

/**
 * The fields of an object, with their types. Numbers become text, `null` no field.
 *
 * @param onOther Called with the name of a value that is neither.
 */
export function fieldsOfObject(
  object: object,
  types: FieldTypes,
  onOther: (name: string) => void,
): LogField[] {
  const fields: LogField[] = [];
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    const name = key.replace(/#\d+$/, "").toUpperCase();
    if (typeof value === "string" || typeof value === "number") {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      fields.push({
        name,
        value: String(value),
        ...(typeof type === "string" && { type: type.toUpperCase() }),
      });
    } else if (value !== null) onOther(name);
  }
  return fields;
}

/** The type of each field name that has one; of several the first. */
export function typesOf(records: Iterable<{ readonly fields: readonly LogField[] }>): Record<string, string> {
  const types = new Map<string, string>();
  for (const { fields } of records)
    for (const { name, type } of fields) if (type !== undefined && !types.has(name)) types.set(name, type);
  return Object.fromEntries(types);
}
