/** How SCIM's resources are described (RFC 7643, section 7), and how names of attributes are resolved: in any case, and never as members of JavaScript objects. */

export interface ScimAttribute {
  /** In the case of responses. */
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference" | "dateTime";
  readonly description: string;
  readonly isMultiValued?: true;
  /** Whether upper and lower case differ in comparisons. */
  readonly isCaseExact?: true;
  readonly isRequired?: true;
  readonly isReadOnly?: true;
  /** Whether it is set together with the element that has it, and then stays. */
  readonly isImmutable?: true;
  /** Whether it is in every response, whatever the client excludes. */
  readonly isAlwaysReturned?: true;
  /** Whether no two resources of a provider have the same value. */
  readonly isUnique?: true;
  readonly subAttributes?: readonly ScimAttribute[];
}

export interface ScimSchema {
  /** Its URN. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
}

/** A kind of resource. */
export interface ScimResourceType {
  readonly name: "User" | "Group";
  readonly description: string;
  /** Below the provider's base URL. */
  readonly endpoint: "/Users" | "/Groups";
  readonly schema: ScimSchema;
  readonly extensions: readonly ScimSchema[];
}

/** What a path or a member's name refers to. */
export interface ScimTarget {
  /** The extension that it belongs to; `undefined` for the core schema. */
  readonly extension: ScimSchema | undefined;
  /** `undefined` for a whole extension. */
  readonly attribute: ScimAttribute | undefined;
  readonly sub: ScimAttribute | undefined;
}

/** A resource, or a part of one, by the names of its schema. Names from clients never index it. */
export type ScimObject = Readonly<Record<string, unknown>>;

/** Attributes of all resources (RFC 7643, section 3.1). */
export const COMMON_ATTRIBUTES: readonly ScimAttribute[] = [
  {
    name: "schemas",
    type: "reference",
    description: "The URNs of the schemas",
    isMultiValued: true,
    isCaseExact: true,
    isReadOnly: true,
    isAlwaysReturned: true,
  },
  {
    name: "id",
    type: "string",
    description: "The id of the user or group in this service",
    isCaseExact: true,
    isReadOnly: true,
    isAlwaysReturned: true,
    isUnique: true,
  },
  { name: "externalId", type: "string", description: "The id at the provider", isCaseExact: true },
  {
    name: "meta",
    type: "complex",
    description: "Type, times, address and version",
    isReadOnly: true,
    subAttributes: [
      { name: "resourceType", type: "string", description: "The type", isCaseExact: true, isReadOnly: true },
      { name: "created", type: "dateTime", description: "When it was created", isReadOnly: true },
      { name: "lastModified", type: "dateTime", description: "When it was changed", isReadOnly: true },
      {
        name: "location",
        type: "reference",
        description: "The address",
        isCaseExact: true,
        isReadOnly: true,
      },
      { name: "version", type: "string", description: "The ETag", isCaseExact: true, isReadOnly: true },
    ],
  },
];

const byName = new WeakMap<readonly ScimAttribute[], ReadonlyMap<string, ScimAttribute>>();

/** The attribute of a name in any case; `undefined` if there is none. */
export function findAttribute(
  attributes: readonly ScimAttribute[] | undefined,
  name: string,
): ScimAttribute | undefined {
  if (attributes === undefined) return undefined;
  let names = byName.get(attributes);
  if (names === undefined) {
    names = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
    byName.set(attributes, names);
  }
  return names.get(name.toLowerCase());
}

/**
 * Resolves `userName`, `name.familyName`, `urn:…:User:userName`, `urn:…:enterprise:2.0:User` and `urn:…:enterprise:2.0:User:manager.value`. An
 * attribute of an extension is also found without the URN.
 *
 * @returns `undefined` for an unknown attribute.
 */
export function resolveTarget(
  { schema, extensions }: Pick<ScimResourceType, "schema" | "extensions">,
  path: string,
): ScimTarget | undefined {
  const lower = path.toLowerCase();
  for (const extension of extensions) {
    const urn = extension.id.toLowerCase();
    if (lower === urn) return { extension, attribute: undefined, sub: undefined };
    if (lower.startsWith(`${urn}:`))
      return resolveIn(extension.attributes, path.slice(urn.length + 1), extension);
  }
  const core = `${schema.id.toLowerCase()}:`;
  const rest = lower.startsWith(core) ? path.slice(core.length) : path;
  const found =
    resolveIn(COMMON_ATTRIBUTES, rest, undefined) ?? resolveIn(schema.attributes, rest, undefined);
  if (found !== undefined) return found;
  for (const extension of extensions) {
    const inside = resolveIn(extension.attributes, rest, extension);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function resolveIn(
  attributes: readonly ScimAttribute[],
  path: string,
  extension: ScimSchema | undefined,
): ScimTarget | undefined {
  const [name = "", subName, ...more] = path.split(".");
  const attribute = findAttribute(attributes, name);
  if (attribute === undefined || more.length > 0) return undefined;
  if (subName === undefined) return { extension, attribute, sub: undefined };
  const sub = findAttribute(attribute.subAttributes, subName);
  return sub && { extension, attribute, sub };
}

/** The part of a resource that holds the attributes of a schema: the resource itself, or the member of the extension's URN. */
export function schemaPartOf(resource: ScimObject, { extension }: Pick<ScimTarget, "extension">): ScimObject {
  return extension === undefined ? resource : ((resource[extension.id] ?? {}) as ScimObject);
}
