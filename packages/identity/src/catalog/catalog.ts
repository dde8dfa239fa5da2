/** The catalog of a token: the services of the cloud and their endpoints. */
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Database } from "../platform/database/database.js";
import type { Links } from "../platform/http/links.js";
import { readOffers, type OfferedEndpoint, type OfferedService } from "./catalog-store.js";
import { fillUrlTemplate, parseUrlTemplate, type UrlTemplate, type UrlValues } from "./endpoint-url.js";

/** A service as a token shows it. */
export interface CatalogEntry {
  readonly endpoints: readonly CatalogEndpoint[];
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

/** With the attributes that clients have added. */
export interface CatalogEndpoint {
  readonly id: string;
  readonly interface: string;
  readonly region_id: string | null;
  readonly url: string;
  readonly region: string | null;
}

/** The endpoints that projects are restricted to. */
export interface CatalogFilter {
  /** Whether tokens without restriction show all endpoints; otherwise they show none. */
  readonly showsAllIfNone: boolean;
  /** Whether any project is restricted. */
  isUsed(): Promise<boolean>;
  /** The ids of a project's endpoints; `undefined` for all. */
  endpointIdsOf(projectId: string): Promise<ReadonlySet<string> | undefined>;
}

export interface CatalogDeps {
  readonly database: Database;
  readonly links: Links;
  readonly filter: CatalogFilter;
}

/** The token whose catalog it is. */
export interface CatalogReader {
  readonly userId?: string | undefined;
  /** Left out for a token without a project. */
  readonly projectId?: string | undefined;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** Restricted projects in the cache. */
const MAX_PROJECTS = 10_000;

/** Offers are cached until facts change: each validation of a token needs them. */
export function createCatalog({ database, links, filter }: CatalogDeps) {
  const revision = () => database.revision("facts");
  const unrestricted = createRevisionCache<AllOffers>({ revision, maxEntries: 1 });
  const restricted = createRevisionCache<readonly Offer[]>({ revision, maxEntries: MAX_PROJECTS });

  async function readAll(): Promise<AllOffers> {
    const services = await readOffers(database);
    return { offers: services.map(toOffer), hasFilters: await filter.isUsed() };
  }

  async function offersOf(projectId: string | undefined): Promise<readonly Offer[]> {
    const standardOf = (offers: readonly Offer[]) => (filter.showsAllIfNone ? offers : []);
    const { offers: all, hasFilters } = await unrestricted.get("", () => readAll());
    if (projectId === undefined || !hasFilters) return standardOf(all);
    return restricted.get(projectId, async () => {
      // Again: facts may have changed since, and the cache has read their new revision.
      const { offers } = await unrestricted.get("", () => readAll());
      const endpointIds = await filter.endpointIdsOf(projectId);
      return endpointIds === undefined
        ? standardOf(offers)
        : offers.flatMap((offer) => restrict(offer, endpointIds));
    });
  }

  return {
    /** An endpoint whose URL needs a value that the token has not is left out; its service stays. */
    async of({ userId, projectId }: CatalogReader): Promise<readonly CatalogEntry[]> {
      const values = { user_id: userId, project_id: projectId, public_endpoint: links.publicUrl };
      return (await offersOf(projectId)).map((offer) => entryOf(offer, values));
    },
  };
}

interface AllOffers {
  readonly offers: readonly Offer[];
  readonly hasFilters: boolean;
}

interface Offer {
  /** As all tokens show it. */
  readonly entry: CatalogEntry;
  /** Endpoints with URL templates, where tokens show different URLs. */
  readonly templates: readonly EndpointTemplate[] | undefined;
}

interface EndpointTemplate {
  readonly endpoint: OfferedEndpoint;
  readonly url: UrlTemplate;
}

function toOffer({ id, type, name, endpoints }: OfferedService): Offer {
  const templates = endpoints.flatMap((endpoint) => {
    const url = parseUrlTemplate(endpoint.url);
    return url === undefined ? [] : [{ endpoint, url }];
  });
  const isSame =
    templates.length === endpoints.length &&
    templates.every(({ endpoint, url }) => url.length === 1 && url[0] === endpoint.url);
  return { entry: { endpoints, id, type, name }, templates: isSame ? undefined : templates };
}

/** The offer with these endpoints alone; none without any of them. */
function restrict({ entry, templates }: Offer, endpointIds: ReadonlySet<string>): Offer[] {
  const endpoints = entry.endpoints.filter(({ id }) => endpointIds.has(id));
  if (endpoints.length === 0) return [];
  const shown = templates?.filter(({ endpoint }) => endpointIds.has(endpoint.id));
  return [{ entry: { ...entry, endpoints }, templates: shown }];
}

function entryOf({ entry, templates }: Offer, values: UrlValues): CatalogEntry {
  if (templates === undefined) return entry;
  const endpoints = templates.flatMap(({ endpoint, url: template }) => {
    const url = fillUrlTemplate(template, values);
    return url === undefined ? [] : [{ ...endpoint, url }];
  });
  return { ...entry, endpoints };
}
