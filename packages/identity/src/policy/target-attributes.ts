/**
 * What rules of policy files see of the target of a request, by Keystone's names: ids of the path, `target.*`, `request_body.*` and
 * `filter_attr.*`. Only what rules name is made, and read from the database.
 */
import type { FastifyRequest } from "fastify";

import { ifFound } from "../platform/errors.js";
import { allValues, type Query } from "../platform/http/query.js";
import type { ReadItem } from "../platform/http/resource.js";
import type { Action } from "./is-allowed.js";
import { domainForNew, type Credentials, type PolicyTarget } from "./caller.js";
import { addFlat, addNamed, noAttributes, type FlatAttributes, type NamedMember } from "./flat-attributes.js";
import type { RuleAttributes } from "./rules/percent-format.js";
import { hasSubject, partsOf, STORED_PARTS, type PartName } from "./target-parts.js";

export interface TargetRequest {
  readonly action: Action;
  readonly request: Pick<FastifyRequest, "params" | "query" | "body" | "caller" | "routeOptions" | "method">;
  /** As the built-in rules see it. */
  readonly target: PolicyTarget;
}

/** Reads the item of a collection, as its route shows it. */
export type FindItem = (collection: string) => ReadItem | undefined;

/** What rules name of the targets of an action. */
export interface NamedAttributes {
  /** By part: `domain_id` of `target.user.domain_id`. */
  readonly parts: ReadonlyMap<string, readonly NamedMember[]>;
  /** Ids of the path: `user_id`. */
  readonly ids: readonly string[];
  readonly hasBody: boolean;
  readonly hasFilters: boolean;
}

/** @returns `undefined` if there are no names. */
export function namedAttributes(names: ReadonlySet<string>): NamedAttributes | undefined {
  if (names.size === 0) return undefined;
  const parts = new Map<string, NamedMember[]>();
  for (const name of names) {
    const [start, part = "", ...path] = name.split(".");
    if (start === "target") parts.set(part, [...(parts.get(part) ?? []), { name, path }]);
  }
  const starts = (start: string) => [...names].some((name) => name.startsWith(start));
  const ids = [...names].filter((name) => !name.includes("."));
  return { parts, ids, hasBody: starts("request_body."), hasFilters: starts("filter_attr.") };
}

const NOTHING: RuleAttributes = Object.freeze(noAttributes());

/** @returns A promise only where something is read. */
export function targetAttributes(
  { action, request, target }: TargetRequest,
  { named, find }: { readonly named: NamedAttributes | undefined; readonly find: FindItem },
): RuleAttributes | Promise<RuleAttributes> {
  if (named === undefined) return NOTHING;
  const attributes = noAttributes();
  const { stored = [], body, made } = partsOf(action);
  const params = request.params as Readonly<Record<string, string>>;
  for (const name of named.ids) if (Object.hasOwn(params, name)) attributes[name] = params[name];
  const reads: StoredPart[] = [];
  for (const part of stored) {
    const wanted = named.parts.get(part);
    const id = params[STORED_PARTS[part].parameter];
    if (wanted === undefined || id === undefined) continue;
    const known = knownMembers(part, target, wanted);
    if (known !== undefined) addNamed(attributes, wanted, known);
    else reads.push({ part, id, wanted });
  }
  if (body !== undefined && named.parts.has(body)) addBody(attributes, body, request);
  if (made !== undefined || named.parts.has("user")) addMade(attributes, { action, request, target });
  if (named.hasBody) addFlat(attributes, "request_body", request.body ?? undefined);
  if (named.hasFilters) addFilters(attributes, request);
  const isMore = made === "tree" || (made === "limit of" && named.parts.has("limit"));
  return reads.length === 0 && !isMore
    ? attributes
    : readAttributes(attributes, reads, { made, request, find });
}

interface StoredPart {
  readonly part: PartName;
  readonly id: string;
  readonly wanted: readonly NamedMember[];
}

interface ItemReading {
  readonly request: TargetRequest["request"];
  readonly find: FindItem;
}

/** What does not exist is left out, so that rules about it deny. */
async function readAttributes(
  attributes: FlatAttributes,
  reads: readonly StoredPart[],
  { made, ...reading }: ItemReading & { readonly made: ReturnType<typeof partsOf>["made"] },
): Promise<RuleAttributes> {
  for (const { part, id, wanted } of reads) {
    const item = await readItem(reading, STORED_PARTS[part].collection, id);
    // Whose place the limit has is read by its ids, which no rule may name.
    if (part === "limit") addFlat(attributes, "target.limit", item);
    else addNamed(attributes, wanted, item);
  }
  if (made === "limit of") await addPlaceOfLimit(attributes, reading);
  if (made === "tree") await addTree(attributes, reading);
  return attributes;
}

/** What the route has read of a part, by the names of the API, if that is enough: then it is not read again. */
function knownMembers(
  part: PartName,
  target: PolicyTarget,
  wanted: readonly NamedMember[],
): object | undefined {
  const known = membersForTable(part, target);
  const isKnown = ({ path: { length, 0: name = "" } }: NamedMember) =>
    length === 1 && known[name] !== undefined;
  if (wanted.every(isKnown)) return known;
  return part === "user" || part === "project" ? target[part]?.members?.() : undefined;
}

/** What the built-in rules see. */
function membersForTable(part: PartName, target: PolicyTarget): Readonly<Record<string, unknown>> {
  if (part === "role" && target.role !== undefined)
    return { name: target.role.name, domain_id: target.role.domainId };
  if (part !== "user" && part !== "group" && part !== "project") return {};
  const { id, domainId } = (target[part] ?? {}) as { readonly id?: string; readonly domainId?: unknown };
  return { id, domain_id: domainId };
}

function readItem(
  { find, request }: ItemReading,
  collection: string,
  id: string,
): Promise<object | undefined> {
  return ifFound(Promise.resolve(find(collection)?.(id, request as never)));
}

/** What a request creates, before it is validated. */
function addBody(
  attributes: FlatAttributes,
  member: string,
  { body, caller }: TargetRequest["request"],
): void {
  const { [member]: draft } = Object(body) as Readonly<Record<string, unknown>>;
  if (typeof draft !== "object" || draft === null || Array.isArray(draft)) return;
  addFlat(attributes, `target.${member}`, draft);
  if (member === "user") attributes["target.user.domain_id"] ??= domainForNew(caller);
}

/** What the route has made for the built-in rules, by Keystone's names. */
export function addMade(
  attributes: FlatAttributes,
  {
    action,
    request: { caller },
    target,
  }: {
    readonly action: Action;
    readonly request: { readonly caller: Credentials };
    readonly target: PolicyTarget;
  },
): void {
  const { user, trust, domain, group } = target;
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined) attributes[name] = value;
  };
  switch (partsOf(action).made) {
    case "token":
      put("target.token.user_id", user?.id);
      put("target.token.user.domain.id", user?.domainId);
      break;
    case "credential of user":
      put("target.credential.user_id", user?.id);
      break;
    case "credential of caller":
      if (caller.scope.kind !== "system") put("target.credential.user_id", caller.userId);
      break;
    case "owner":
      put("user_id", user?.id);
      put("target.user_id", user?.id);
      break;
    case "trust":
      put("target.trust.trustor_user_id", trust?.trustorId);
      put("target.trust.trustee_user_id", trust?.trusteeId);
      break;
    case "list":
      if (action === "identity:list_groups") put("target.group.domain_id", group?.domainId);
      else put(action === "identity:list_domains" ? "target.domain.id" : "target.domain_id", domain?.id);
      break;
    case undefined:
    default:
  }
  if (hasSubject(action)) {
    put("target.user.id", user?.id);
    attributes["target.user.domain_id"] = user?.domainId ?? null;
  }
}

/** The project or domain of the limit in the path. */
async function addPlaceOfLimit(attributes: FlatAttributes, reading: ItemReading): Promise<void> {
  for (const part of ["project", "domain"] as const) {
    const id = attributes[`target.limit.${part}_id`];
    if (typeof id === "string")
      addFlat(attributes, `target.limit.${part}`, await readItem(reading, STORED_PARTS[part].collection, id));
  }
}

/** The project whose tree is listed. */
async function addTree(attributes: FlatAttributes, reading: ItemReading): Promise<void> {
  const id = (reading.request.query as Readonly<Record<string, unknown>>)["scope.project.id"];
  if (typeof id !== "string") return;
  addFlat(attributes, "target.project", await readItem(reading, STORED_PARTS.project.collection, id));
  const domainId = attributes["target.project.domain_id"];
  if (domainId !== undefined) attributes["target.domain_id"] = domainId;
}

/** Parameters of lists that are not filters. */
const NO_FILTERS: ReadonlySet<string> = new Set([
  "limit",
  "marker",
  "sort_key",
  "sort_dir",
  "details",
  "search",
]);

/** Only those that the list declares, and so applies. */
function addFilters(
  attributes: FlatAttributes,
  { query, routeOptions, method }: TargetRequest["request"],
): void {
  if (method !== "GET" && method !== "HEAD") return;
  const { querystring } = (routeOptions.schema ?? {}) as {
    readonly querystring?: { readonly properties?: object };
  };
  for (const name of Object.keys(querystring?.properties ?? {})) {
    const [value, another] = allValues(query as Query, name);
    // Of a repeated one it is not certain which the list applies.
    if (!NO_FILTERS.has(name) && value !== undefined && another === undefined)
      attributes[`filter_attr.${name}`] = value;
  }
}

export interface TargetQuestion {
  readonly action: Action;
  readonly caller: Credentials;
  readonly target: PolicyTarget;
}

/** Without a request, as far as the built-in rules see the target: for questions about what a caller may do. */
export function attributesOfTarget(
  { action, caller, target }: TargetQuestion,
  more: Readonly<Record<string, object>> = {},
): RuleAttributes {
  const attributes = noAttributes();
  const { stored = [], body, made } = partsOf(action);
  const { user, group, project, domain, role, trust } = target;
  const byPart: Readonly<Record<string, object | undefined>> = {
    user: user && { id: user.id, domain_id: user.domainId },
    group: group && { domain_id: group.domainId },
    project: project && { id: project.id, domain_id: project.domainId },
    domain,
    role: role && { name: role.name, domain_id: role.domainId },
    credential: user && { user_id: user.id },
    trust: trust && { trustor_user_id: trust.trustorId, trustee_user_id: trust.trusteeId },
    limit: project
      ? { project_id: project.id, domain_id: null, project: { id: project.id, domain_id: project.domainId } }
      : domain && { project_id: null, domain_id: domain.id, domain },
  };
  for (const part of [...stored, ...(body === undefined ? [] : [body])])
    addFlat(attributes, `target.${part}`, byPart[part]);
  for (const [part, members] of Object.entries(more)) addFlat(attributes, `target.${part}`, members);
  addMade(attributes, { action, request: { caller }, target });
  if (made === "tree" && domain !== undefined) attributes["target.domain_id"] = domain.id;
  const ids = { user_id: user?.id, project_id: project?.id, domain_id: domain?.id };
  for (const [name, id] of Object.entries(ids)) if (id !== undefined) attributes[name] ??= id;
  for (const [name, value] of Object.entries(attributes)) if (value === undefined) delete attributes[name];
  return attributes;
}
