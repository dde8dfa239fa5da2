/** What a request changed, for the audit record: kind, id and name of the item, and the members of its change. */
import { shortened } from "../text/quoted-value.js";

/** An item as audit records name it. */
export interface ChangedItem {
  /** `user` */
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
}

/** The values of a member before and after; without values, only that it was in the change: it may be a secret, or long. */
export interface ChangedMember {
  readonly before?: ShownValue;
  readonly after?: ShownValue;
}
type ShownValue = string | number | boolean | null;

export interface NotedChange {
  readonly item: ChangedItem;
  /** By the names of members; absent for creations and deletions. */
  readonly changes?: Readonly<Record<string, ChangedMember>>;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by routes that know what they change. */
    notedChange?: NotedChange;
  }
}

/** Members whose values are shown. All others may be secrets of clients: passwords, keys, attributes that the API doesn't know. */
const SHOWN = new Set([
  "default_limit",
  "default_project_id",
  "description",
  "domain_id",
  "email",
  "enabled",
  "interface",
  "is_domain",
  "mapping_id",
  "name",
  "parent_id",
  "parent_region_id",
  "region_id",
  "resource_limit",
  "resource_name",
  "service_id",
  "type",
]);
const MAX_TEXT = 255;
const MAX_MEMBERS = 20;

/** The name of an item, if it has one. */
export function itemOf(kind: string, item: object & { readonly id: string }): ChangedItem {
  const { id, name } = item as { readonly id: string; readonly name?: unknown };
  return typeof name === "string" ? { kind, id, name: shortened(name, MAX_TEXT) } : { kind, id };
}

/**
 * The members of a change that differ, or whose values aren't shown.
 *
 * @param change The member of the request's body.
 * @param before The view before it; `undefined`, if it is not known.
 */
export function membersChanged(
  change: object,
  { before, after }: { readonly before: object | undefined; readonly after: object },
): Readonly<Record<string, ChangedMember>> {
  const found: [string, ChangedMember][] = [];
  for (const name of Object.keys(change).slice(0, MAX_MEMBERS)) {
    if (!SHOWN.has(name)) {
      found.push([shortened(name, MAX_TEXT), {}]);
      continue;
    }
    const [old, now] = [shownValue(before, name), shownValue(after, name)];
    if (before === undefined || old !== now)
      found.push([
        name,
        {
          ...(before !== undefined && old !== undefined && { before: old }),
          ...(now !== undefined && { after: now }),
        },
      ]);
  }
  return Object.fromEntries(found);
}

/** `undefined` for lists and objects. A missing member is as good as `null`. */
function shownValue(view: object | undefined, name: string): ShownValue | undefined {
  const value = (view as Readonly<Record<string, unknown>> | undefined)?.[name] ?? null;
  if (typeof value === "string") return shortened(value, MAX_TEXT);
  return value === null || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}
