/** Plans the changes from the stored limits to those of a document: pure functions, whose result a dry run shows. */
import { DuplicateLimitError, type ResourceEntry, type LimitKind } from "../limit-errors.js";
import type { Limit } from "../limit.js";
import type { RegisteredLimit, ResourceKey } from "../registered-limit.js";

/** Registered limits and limits. */
export interface LimitState {
  readonly registered: readonly RegisteredLimit[];
  readonly limits: readonly Limit[];
}

export interface Changes<Item> {
  readonly added: readonly Item[];
  /** With the stored id. */
  readonly changed: readonly { readonly from: Item; readonly to: Item }[];
  readonly removed: readonly Item[];
}

export interface LimitPlan {
  readonly registered: Changes<RegisteredLimit>;
  readonly limits: Changes<Limit>;
}

/** @throws {DuplicateLimitError} The document has a limit twice. */
export function planLimits(present: LimitState, wanted: LimitState): LimitPlan {
  return {
    registered: changesBetween(present.registered, wanted.registered, {
      kind: "registered_limit",
      keyOf: resourceKeyText,
      entryOf: (limit) => limit,
      amountOf: ({ defaultLimit }) => defaultLimit,
    }),
    limits: changesBetween(present.limits, wanted.limits, {
      kind: "limit",
      keyOf: (limit) => JSON.stringify([limit.domainId, limit.projectId, resourceKeyText(limit)]),
      entryOf: (limit) => ({ ...limit, ownerId: limit.projectId ?? limit.domainId }),
      amountOf: ({ resourceLimit }) => resourceLimit,
    }),
  };
}

/** The unique key of a registered limit, besides its id. */
export function resourceKeyText({ serviceId, regionId, resourceName }: ResourceKey): string {
  return JSON.stringify([serviceId, regionId, resourceName]);
}

interface Identity<Item> {
  readonly kind: LimitKind;
  readonly keyOf: (item: Item) => string;
  readonly entryOf: (item: Item) => Omit<ResourceEntry, "kind" | "index">;
  readonly amountOf: (item: Item) => number;
}

function changesBetween<Item extends { readonly id: string; readonly description: string | null }>(
  present: readonly Item[],
  wanted: readonly Item[],
  { kind, keyOf, entryOf, amountOf }: Identity<Item>,
): Changes<Item> {
  const left = new Map(present.map((item) => [keyOf(item), item]));
  const added: Item[] = [];
  const changed: { from: Item; to: Item }[] = [];
  const seen = new Set<string>();
  for (const [index, item] of wanted.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) throw new DuplicateLimitError(kind, { kind, index, ...entryOf(item) });
    seen.add(key);
    const from = left.get(key);
    left.delete(key);
    if (from === undefined) added.push(item);
    else if (amountOf(from) !== amountOf(item) || from.description !== item.description)
      changed.push({ from, to: { ...item, id: from.id } });
  }
  return { added, changed, removed: [...left.values()] };
}

/** A change of the plan, for responses. */
export interface PlannedChange {
  readonly change: "create" | "update" | "delete";
  readonly kind: LimitKind;
  readonly service_id: string;
  readonly region_id: string | null;
  readonly resource_name: string;
  /** `null` for a registered limit, and for the limit of a domain. */
  readonly project_id: string | null;
  /** `null` for a registered limit. */
  readonly domain_id: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** The changes in the order of {@link describePlan}. */
export function listPlan({ registered, limits }: LimitPlan): PlannedChange[] {
  const ofAll = { project_id: null, domain_id: null };
  return [
    ...listChanges(registered, (limit) => ({ kind: "registered_limit", ...ofAll, ...resourceOf(limit) }), {
      amountOf: ({ defaultLimit }) => defaultLimit,
    }),
    ...listChanges(
      limits,
      (limit) => ({
        kind: "limit",
        project_id: limit.projectId,
        domain_id: limit.domainId,
        ...resourceOf(limit),
      }),
      { amountOf: ({ resourceLimit }) => resourceLimit },
    ),
  ];
}

const resourceOf = ({ serviceId, regionId, resourceName }: ResourceKey) => ({
  service_id: serviceId,
  region_id: regionId,
  resource_name: resourceName,
});

function listChanges<Item>(
  { added, changed, removed }: Changes<Item>,
  placeOf: (item: Item) => Omit<PlannedChange, "change" | "from" | "to">,
  { amountOf }: { readonly amountOf: (item: Item) => number },
): PlannedChange[] {
  return [
    ...removed.map((item) => ({
      change: "delete" as const,
      ...placeOf(item),
      from: amountOf(item),
      to: null,
    })),
    ...changed.map(({ from, to }) => ({
      change: "update" as const,
      ...placeOf(to),
      from: amountOf(from),
      to: amountOf(to),
    })),
    ...added.map((item) => ({ change: "create" as const, ...placeOf(item), from: null, to: amountOf(item) })),
  ];
}

/** The plan in lines: `+` adds, `~` changes, `-` deletes. */
export function describePlan({ registered, limits }: LimitPlan): string[] {
  return [
    ...describeChanges(registered, registeredText, ({ defaultLimit }) => defaultLimit),
    ...describeChanges(limits, limitText, ({ resourceLimit }) => resourceLimit),
  ];
}

function describeChanges<Item extends { readonly description: string | null }>(
  { added, changed, removed }: Changes<Item>,
  textOf: (item: Item) => string,
  amountOf: (item: Item) => number,
): string[] {
  return [
    ...removed.map((item) => `- ${textOf(item)}: ${amountOf(item)}`),
    ...changed.map(({ from, to }) => `~ ${textOf(to)}: ${differences([from, to], amountOf)}`),
    ...added.map((item) => `+ ${textOf(item)}: ${amountOf(item)}`),
  ];
}

function differences<Item extends { readonly description: string | null }>(
  [from, to]: readonly [Item, Item],
  amountOf: (item: Item) => number,
): string {
  const amount = amountOf(from) === amountOf(to) ? [] : [`${amountOf(from)} -> ${amountOf(to)}`];
  const description =
    from.description === to.description
      ? []
      : [`description ${shown(from.description)} -> ${shown(to.description)}`];
  return [...amount, ...description].join(", ");
}

function registeredText(limit: RegisteredLimit): string {
  return `registered limit ${resourceText(limit)}`;
}

function limitText(limit: Limit): string {
  const owner = limit.projectId === null ? `domain ${limit.domainId}` : `project ${limit.projectId}`;
  return `limit of ${owner}, ${resourceText(limit)}`;
}

function resourceText({ serviceId, regionId, resourceName }: ResourceKey): string {
  return `${resourceName} of service ${serviceId}${regionId === null ? "" : ` in region ${regionId}`}`;
}

function shown(text: string | null): string {
  return text === null ? "none" : JSON.stringify(text);
}
