/** References of limits to services, regions, projects and domains. */
import { NotFoundError } from "../platform/errors.js";
import {
  UnknownReferenceError,
  DuplicateLimitError,
  type LimitKind,
  type ResourceEntry,
} from "./limit-errors.js";

export interface LimitCatalog {
  /** @throws {NotFoundError} */
  readonly getService: (id: string) => Promise<unknown>;
  /** @throws {NotFoundError} */
  readonly getRegion: (id: string) => Promise<unknown>;
}

/** A limited project or domain. */
export interface LimitOwner {
  readonly id: string;
  /** `null` for a domain. */
  readonly domainId: string | null;
  readonly isDomain: boolean;
}

export interface LimitProjects {
  /** The projects and domains of these ids that exist. */
  readonly listProjectsById: (ids: readonly string[]) => Promise<readonly LimitOwner[]>;
}

/** The resource of a draft. */
export function resourceOf(draft: {
  readonly service_id: string;
  readonly region_id?: string | null | undefined;
  readonly resource_name: string;
}) {
  return {
    serviceId: draft.service_id,
    regionId: draft.region_id ?? null,
    resourceName: draft.resource_name,
  };
}

interface ReferringDraft {
  readonly service_id?: string | undefined;
  readonly region_id?: string | null | undefined;
}

/** @throws {UnknownReferenceError} A service or region does not exist. */
export async function checkCatalog(
  catalog: LimitCatalog,
  drafts: readonly ReferringDraft[],
  { kind, isList }: { readonly kind: LimitKind; readonly isList: boolean },
): Promise<void> {
  const references = [
    ["service", "service_id", (id: string) => catalog.getService(id)],
    ["region", "region_id", (id: string) => catalog.getRegion(id)],
  ] as const;
  for (const [expected, attribute, lookup] of references)
    for (const [value, index] of distinct(drafts.map((draft) => draft[attribute]))) {
      const entry = { kind, index: isList ? index : undefined };
      await requireKnown(lookup(value), new UnknownReferenceError({ attribute, value, expected }, entry));
    }
}

async function requireKnown(lookup: Promise<unknown>, otherwise: Error): Promise<void> {
  try {
    await lookup;
  } catch (error) {
    if (error instanceof NotFoundError) throw otherwise;
    throw error;
  }
}

interface OwnedDraft {
  readonly project_id?: string | null | undefined;
  readonly domain_id?: string | null | undefined;
}

/** The limited project or domain. */
export interface LimitPlace {
  readonly projectId: string | null;
  readonly domainId: string;
}

/**
 * The places of limits, in the order of the drafts. A domain may be given as a project.
 *
 * @throws {UnknownReferenceError}
 */
export async function findPlaces(
  projects: LimitProjects,
  drafts: readonly OwnedDraft[],
): Promise<LimitPlace[]> {
  const named = drafts.map((draft) => {
    const { project_id: projectId, domain_id: domainId } = withoutNulls(draft);
    const expected = domainId === undefined ? ("project" as const) : ("domain" as const);
    return { id: projectId ?? domainId ?? "", attribute: `${expected}_id`, expected };
  });
  const ids = distinct(named.map(({ id }) => id)).map(([id]) => id);
  const owners = new Map((await projects.listProjectsById(ids)).map((owner) => [owner.id, owner]));
  return named.map(({ id, attribute, expected }, index) => {
    const owner = owners.get(id);
    if (owner === undefined || (expected === "domain" && !owner.isDomain))
      throw new UnknownReferenceError(
        { attribute, value: id === "" ? undefined : id, expected },
        { kind: "limit", index },
      );
    return placeOf(owner);
  });
}

function withoutNulls({ project_id, domain_id }: OwnedDraft) {
  return { project_id: project_id ?? undefined, domain_id: domain_id ?? undefined };
}

export function placeOf({ id, domainId, isDomain }: LimitOwner): LimitPlace {
  return isDomain || domainId === null ? { projectId: null, domainId: id } : { projectId: id, domainId };
}

/** Each id with its first index. */
function distinct(ids: readonly (string | null | undefined)[]): (readonly [string, number])[] {
  const first = new Map<string, number>();
  for (const [index, id] of ids.entries())
    if (id !== null && id !== undefined && !first.has(id)) first.set(id, index);
  return [...first];
}

/** What an entry is about, and whether a limit of it exists. */
export interface TakenEntry extends Omit<ResourceEntry, "kind" | "index"> {
  readonly isTaken: boolean;
}

export interface NamedDuplicateOptions {
  readonly kind: LimitKind;
  /** The entries of the request, in their order. Asked only after a conflict. */
  readonly findTaken: () => Promise<readonly TakenEntry[]>;
}

/** @throws {DuplicateLimitError} With the first entry that exists, or is in the request twice. */
export async function orNamedDuplicate<Result>(
  work: Promise<Result>,
  { kind, findTaken }: NamedDuplicateOptions,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DuplicateLimitError)) throw error;
    const seen = new Set<string>();
    for (const [index, { isTaken, ...entry }] of (await findTaken()).entries()) {
      const key = JSON.stringify([entry.serviceId, entry.regionId, entry.resourceName, entry.ownerId]);
      if (isTaken || seen.has(key)) throw new DuplicateLimitError(kind, { kind, index, ...entry });
      seen.add(key);
    }
    // The other limit was deleted concurrently.
    throw error;
  }
}
