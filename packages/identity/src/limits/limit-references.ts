/** References of limits to services, regions, projects and domains. */
import { NotFoundError } from "../platform/errors.js";
import { UnknownReferenceError, type LimitKind } from "./limit-errors.js";

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

interface ReferringDraft {
  readonly service_id?: string | undefined;
  readonly region_id?: string | null | undefined;
}

/** @throws {UnknownReferenceError} A service or region does not exist. */
export async function checkCatalog(
  catalog: LimitCatalog,
  drafts: readonly ReferringDraft[],
  kind: LimitKind,
): Promise<void> {
  for (const id of distinct(drafts.map(({ service_id }) => service_id)))
    await requireKnown(catalog.getService(id), new UnknownReferenceError("service_id", kind));
  for (const id of distinct(drafts.map(({ region_id }) => region_id)))
    await requireKnown(catalog.getRegion(id), new UnknownReferenceError("region_id", kind));
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
    const attribute = domainId === undefined ? "project_id" : "domain_id";
    return { id: projectId ?? domainId ?? "", attribute };
  });
  const ids = distinct(named.map(({ id }) => id));
  const owners = new Map((await projects.listProjectsById(ids)).map((owner) => [owner.id, owner]));
  return named.map(({ id, attribute }) => {
    const owner = owners.get(id);
    if (owner === undefined || (attribute === "domain_id" && !owner.isDomain))
      throw new UnknownReferenceError(attribute, "limit");
    return placeOf(owner);
  });
}

function withoutNulls({ project_id, domain_id }: OwnedDraft) {
  return { project_id: project_id ?? undefined, domain_id: domain_id ?? undefined };
}

export function placeOf({ id, domainId, isDomain }: LimitOwner): LimitPlace {
  return isDomain || domainId === null ? { projectId: null, domainId: id } : { projectId: id, domainId };
}

function distinct(ids: readonly (string | null | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null && id !== undefined))];
}
