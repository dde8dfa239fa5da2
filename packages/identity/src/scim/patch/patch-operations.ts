/**
 * The operations of a PATCH (RFC 7644, section 3.5.2), read into one form: with a path or without, with names of operations and
 * attributes in any case.
 *
 * Unknown attributes are ignored, as they are in resources.
 */
import {
  ScimMutabilityError,
  ScimFilterError,
  ScimPathError,
  ScimSyntaxError,
  ScimTargetError,
} from "../scim-errors.js";
import { parseValuePath, type Filter } from "../filter/filter-parser.js";
import {
  findAttribute,
  resolveTarget,
  type ScimAttribute,
  type ScimObject,
  type ScimResourceType,
  type ScimSchema,
} from "../schema/scim-attribute.js";

/** One change of one attribute. */
export interface ScimChange {
  readonly kind: "add" | "replace" | "remove";
  /** As the client sent it, for messages. */
  readonly path: string;
  readonly extension: ScimSchema | undefined;
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | undefined;
  /** Chooses values of the attribute. */
  readonly filter: Filter | undefined;
  readonly value: unknown;
}

const MAX_OPERATIONS = 1000;
const KINDS: ReadonlySet<string> = new Set(["add", "replace", "remove"]);

/** @throws {ScimSyntaxError} {@link ScimPathError} {@link ScimMutabilityError} {@link ScimTargetError} */
export function readOperations(body: ScimObject, type: ScimResourceType): ScimChange[] {
  const operations = memberOf(body, "Operations");
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimSyntaxError("A PATCH has a list of Operations.");
  if (operations.length > MAX_OPERATIONS)
    throw new ScimSyntaxError(`A PATCH has at most ${MAX_OPERATIONS} operations.`);
  return operations.flatMap((operation) => readOperation(operation, type));
}

function readOperation(operation: unknown, type: ScimResourceType): ScimChange[] {
  if (!isObject(operation)) throw new ScimSyntaxError("An operation has to be an object.");
  const name = memberOf(operation, "op");
  const kind = (typeof name === "string" ? name.toLowerCase() : "") as ScimChange["kind"];
  if (!KINDS.has(kind)) throw new ScimSyntaxError("op has to be add, replace or remove.");
  const path = memberOf(operation, "path");
  const value = memberOf(operation, "value");
  if (typeof path === "string" && path.trim() !== "")
    return readPath({ kind, path: path.trim(), value }, type);
  if (path !== undefined && path !== null && path !== "") throw new ScimPathError("path has to be a text.");
  if (kind === "remove") throw new ScimTargetError("(none)");
  if (!isObject(value)) throw new ScimSyntaxError("An operation without path has an object as its value.");
  return readMembersOf(kind, value, type);
}

interface Sent {
  readonly kind: ScimChange["kind"];
  readonly path: string;
  readonly value: unknown;
}

function readPath(sent: Sent, type: ScimResourceType): ScimChange[] {
  const { path, filter, sub: subName } = parsePath(sent.path);
  const target = resolveTarget(type, path);
  if (target === undefined) return [];
  const { extension, attribute } = target;
  if (attribute === undefined) return readExtension(sent, target.extension);
  const sub = subName === undefined ? target.sub : findAttribute(attribute.subAttributes, subName);
  if (subName !== undefined && sub === undefined) return [];
  if (filter !== undefined && (!attribute.isMultiValued || target.sub !== undefined))
    throw new ScimPathError(`Attribute ${attribute.name} has no list of values to choose from.`);
  if (attribute.isReadOnly) throw new ScimMutabilityError(attribute.name);
  return [{ ...sent, extension, attribute, sub, filter }];
}

/** `"path": "urn:…:enterprise:2.0:User"`: all of the extension's attributes. */
function readExtension({ kind, value, path }: Sent, extension: ScimSchema | undefined): ScimChange[] {
  const named = extension?.attributes ?? [];
  if (kind === "remove")
    return named.map((attribute) => ({
      kind,
      path,
      value: undefined,
      extension,
      attribute,
      sub: undefined,
      filter: undefined,
    }));
  if (!isObject(value)) throw new ScimSyntaxError("The value of an extension has to be an object.");
  return Object.entries(value).flatMap(([name, each]) => {
    const attribute = findAttribute(named, name);
    return attribute === undefined
      ? []
      : [{ kind, path: name, value: each, extension, attribute, sub: undefined, filter: undefined }];
  });
}

/** Each name is a path: `name.familyName`, or that of an extension. Read-only ones are ignored: Okta sends the id. */
function readMembersOf(kind: ScimChange["kind"], value: ScimObject, type: ScimResourceType): ScimChange[] {
  return Object.entries(value).flatMap(([path, each]) => {
    const target = resolveTarget(type, path);
    if (target === undefined || target.attribute?.isReadOnly === true) return [];
    if (target.attribute === undefined) return readExtension({ kind, path, value: each }, target.extension);
    const { extension, attribute, sub } = target;
    return [{ kind, path, value: each, extension, attribute, sub, filter: undefined }];
  });
}

function parsePath(path: string) {
  try {
    return parseValuePath(path);
  } catch (cause) {
    if (!(cause instanceof ScimFilterError)) throw cause;
    throw new ScimPathError(`The path of an operation can't be read: ${cause.message}`, { cause });
  }
}

/** A member whose name may be in any case. */
export function memberOf(object: ScimObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const lower = name.toLowerCase();
  const key = Object.keys(object).find((each) => each.toLowerCase() === lower);
  return key === undefined ? undefined : object[key];
}

function isObject(value: unknown): value is ScimObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
