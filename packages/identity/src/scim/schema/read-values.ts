/**
 * Reads values that clients send by the schema: names in any case, booleans also as text ("True"), and a single value for a list.
 *
 * Unknown and read-only attributes are ignored.
 */
import { ScimValueError } from "../scim-errors.js";
import {
  COMMON_ATTRIBUTES,
  findAttribute,
  type ScimAttribute,
  type ScimObject,
  type ScimResourceType,
} from "./scim-attribute.js";

/** Values of one attribute. Members of groups are read elsewhere. */
const MAX_VALUES = 100;
const MAX_TEXT_LENGTH = 1024;

/** A resource as it is stored; without what is not in the schema. */
export function readResource(body: ScimObject, { schema, extensions }: ScimResourceType): ScimObject {
  const resource: Record<string, unknown> = {
    ...readMembers(body, COMMON_ATTRIBUTES),
    ...readMembers(body, schema.attributes),
  };
  for (const extension of extensions) {
    const key = Object.keys(body).find((name) => name.toLowerCase() === extension.id.toLowerCase());
    if (key === undefined) continue;
    const part = readMembers(asObject(body[key], extension.name), extension.attributes);
    if (Object.keys(part).length > 0) resource[extension.id] = part;
  }
  return resource;
}

/** The known members of an object, by the names of the schema. */
export function readMembers(
  given: ScimObject,
  attributes: readonly ScimAttribute[],
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = findAttribute(attributes, name);
    // Those of groups: there may be thousands.
    if (attribute === undefined || attribute.isReadOnly || attribute.name === "members") continue;
    const read = readValue(value, attribute);
    if (read !== undefined) members[attribute.name] = read;
  }
  return members;
}

/**
 * The value of an attribute; `undefined` for none: `null`, an empty text and an empty list mean that it has no value.
 *
 * @throws {ScimValueError}
 */
export function readValue(value: unknown, attribute: ScimAttribute): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  if (attribute.isMultiValued) {
    const elements = readElements(value, attribute);
    return elements.length === 0 ? undefined : elements;
  }
  return readOne(Array.isArray(value) && value.length === 1 ? value[0] : value, attribute);
}

/** The elements of a multi-valued attribute. */
export function readElements(value: unknown, attribute: ScimAttribute): unknown[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MAX_VALUES)
    throw new ScimValueError(`${attribute.name} has more than ${MAX_VALUES} values.`);
  return list.flatMap((element) => readOne(element, attribute) ?? []);
}

/** One value of an attribute, which may have several. */
export function readOne(value: unknown, attribute: ScimAttribute): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  if (attribute.type === "complex") return readComplex(value, attribute);
  // Some clients wrap a value as those of lists are.
  const plain = typeof value === "object" && !Array.isArray(value) ? (value as ScimObject)["value"] : value;
  if (attribute.type === "boolean") return readBoolean(plain, attribute);
  if (typeof plain === "number" || typeof plain === "boolean") return String(plain);
  if (typeof plain !== "string") throw new ScimValueError(`${attribute.name} has to be a text.`);
  return readText(plain, attribute);
}

function readText(text: string, { name }: ScimAttribute): string {
  if (text.length > MAX_TEXT_LENGTH)
    throw new ScimValueError(`${name} has more than ${MAX_TEXT_LENGTH} characters.`);
  return text;
}

function readComplex(value: unknown, attribute: ScimAttribute): ScimObject | undefined {
  const given = typeof value === "string" ? { value } : value;
  const members = readMembers(asObject(given, attribute.name), attribute.subAttributes ?? []);
  return Object.keys(members).length === 0 ? undefined : members;
}

function readBoolean(value: unknown, { name }: ScimAttribute): boolean {
  const text = String(value).toLowerCase();
  if (text !== "true" && text !== "false") throw new ScimValueError(`${name} has to be true or false.`);
  return text === "true";
}

function asObject(value: unknown, name: string): ScimObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ScimValueError(`${name} has to be an object.`);
  return value as ScimObject;
}
