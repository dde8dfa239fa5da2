/** Which attributes a response has: `attributes` and `excludedAttributes` (RFC 7644, section 3.9). */
import {
  COMMON_ATTRIBUTES,
  schemaPartOf,
  resolveTarget,
  type ScimObject,
  type ScimResourceType,
  type ScimTarget,
} from "./scim-attribute.js";

export interface Projection {
  /** Whether the response has the attribute at all. */
  includes(name: string): boolean;
  apply(resource: ScimObject): ScimObject;
}

export interface ProjectionQuery {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

const MAX_NAMES = 100;
const ALWAYS = COMMON_ATTRIBUTES.filter(({ isAlwaysReturned }) => isAlwaysReturned).map(({ name }) => name);

/** Unknown names are ignored. With both lists, `attributes` counts. */
export function readProjection(
  { attributes, excludedAttributes }: ProjectionQuery,
  type: ScimResourceType,
): Projection {
  const only = targetsOf(attributes, type);
  if (attributes !== undefined && attributes.trim() !== "")
    return {
      includes: (name) => ALWAYS.includes(name) || only.some(({ attribute }) => attribute?.name === name),
      apply: (resource) => chosenOf(resource, only),
    };
  const excluded = targetsOf(excludedAttributes, type).filter(
    ({ attribute }) => !ALWAYS.includes(attribute?.name ?? ""),
  );
  return {
    includes: (name) => !excluded.some(({ attribute, sub }) => sub === undefined && attribute?.name === name),
    apply: (resource) => (excluded.length === 0 ? resource : withoutThose(resource, excluded)),
  };
}

function targetsOf(names: string | undefined, type: ScimResourceType): ScimTarget[] {
  const list = (names ?? "").split(",", MAX_NAMES);
  return list.flatMap((name) => resolveTarget(type, name.trim()) ?? []);
}

type Part = Record<string, unknown>;

function chosenOf(resource: ScimObject, targets: readonly ScimTarget[]): ScimObject {
  const chosen: Part = {};
  for (const name of ALWAYS) chosen[name] = resource[name];
  for (const target of targets) {
    const { extension, attribute, sub } = target;
    const source = schemaPartOf(resource, target);
    if (extension !== undefined && resource[extension.id] === undefined) continue;
    const place = extension === undefined ? chosen : ((chosen[extension.id] ??= {}) as Part);
    if (attribute === undefined) Object.assign(place, source);
    else if (source[attribute.name] !== undefined)
      place[attribute.name] =
        sub === undefined
          ? source[attribute.name]
          : mergedSub(place[attribute.name], source[attribute.name], sub.name);
  }
  return chosen;
}

/** Several sub-attributes of one attribute may be requested. */
function mergedSub(chosen: unknown, source: unknown, name: string): unknown {
  if (Array.isArray(source))
    return source.map((each, index) => mergedSub((chosen as unknown[] | undefined)?.[index], each, name));
  const value = (source as ScimObject)[name];
  return { ...(chosen as object | undefined), ...(value !== undefined && { [name]: value }) };
}

function withoutThose(resource: ScimObject, targets: readonly ScimTarget[]): ScimObject {
  const rest: Part = { ...resource };
  for (const { extension, attribute, sub } of targets) {
    if (extension !== undefined && rest[extension.id] === undefined) continue;
    if (attribute === undefined) {
      if (extension !== undefined) delete rest[extension.id];
      continue;
    }
    const place = extension === undefined ? rest : ({ ...(rest[extension.id] as object) } as Part);
    if (sub === undefined) delete place[attribute.name];
    else if (place[attribute.name] !== undefined)
      place[attribute.name] = withoutSub(place[attribute.name], sub.name);
    if (extension !== undefined) rest[extension.id] = place;
  }
  return rest;
}

function withoutSub(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSub(each, name));
  const { [name]: _, ...others } = value as Part;
  return others;
}
