/** The catalog of a token: the services of the cloud and their endpoints. */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { Platform } from "../area.js";
import { parseAttributes } from "../platform/attributes.js";
import { andThen } from "../platform/concurrency/and-then.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Queries } from "../platform/database/database.js";
import { newId } from "../platform/ids.js";
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

/** The token whose catalog it is. */
export interface CatalogReader {
  readonly userId: string;
  /** Left out for a token without a project. */
  readonly projectId?: string | undefined;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** Restricted projects in the cache. */
const MAX_PROJECTS = 10_000;

/** Offers are cached until facts change: each validation of a token needs them. */
export function createCatalog({
  database,
  links,
  filter,
}: Pick<Platform, "database" | "links"> & { readonly filter: CatalogFilter }) {
  const revision = () => database.revision("facts");
  const unrestricted = createRevisionCache<AllOffers>({ revision, maxEntries: 1 });
  const restricted = createRevisionCache<Offers>({ revision, maxEntries: MAX_PROJECTS });

  async function readAll(): Promise<AllOffers> {
    const services = await readOffers(database);
    return { offers: services.map(toOffer), texts: new Map(), hasFilters: await filter.isUsed() };
  }

  function offersOf(projectId: string | undefined): Offers | Promise<Offers> {
    const standardOf = (all: Offers) => (filter.showsAllIfNone ? all : { offers: [] });
    return andThen(
      unrestricted.get("", () => readAll()),
      (standard) => {
        if (projectId === undefined || !standard.hasFilters) return standardOf(standard);
        return restricted.get(projectId, async () => {
          // Again: facts may have changed since, and the cache has read their new revision.
          const all = await unrestricted.get("", () => readAll());
          const endpointIds = await filter.endpointIdsOf(projectId);
          if (endpointIds === undefined) return standardOf(all);
          return { offers: all.offers.flatMap((offer) => restrict(offer, endpointIds)) };
        });
      },
    );
  }

  function entriesOf({ offers }: Offers, { userId, projectId }: CatalogReader): CatalogEntry[] {
    const values = { user_id: userId, project_id: projectId, public_endpoint: links.publicUrl };
    return offers.map((offer) => entryOf(offer, values));
  }

  function jsonOf(offers: Offers, reader: CatalogReader): string {
    const { texts } = offers;
    if (texts === undefined) return JSON.stringify(entriesOf(offers, reader));
    const hasProject = reader.projectId !== undefined;
    let parts = texts.get(hasProject);
    if (parts === undefined) {
      const marks = { userId: USER_MARK, projectId: hasProject ? PROJECT_MARK : undefined };
      parts = JSON.stringify(entriesOf(offers, marks)).split(ANY_MARK);
      texts.set(hasProject, parts);
    }
    return fillMarks(parts, reader);
  }

  return {
    /** An endpoint whose URL needs a value that the token has not is left out; its service stays. */
    of: async (reader: CatalogReader): Promise<readonly CatalogEntry[]> =>
      entriesOf(await offersOf(reader.projectId), reader),

    /** The same as JSON: what tokens show alike is written once. */
    json: (reader: CatalogReader): string | Promise<string> =>
      andThen(offersOf(reader.projectId), (offers) => jsonOf(offers, reader)),
  };
}

/** In place of a token's ids, in the text for all tokens: nothing else contains them. */
const USER_MARK = newId();
const PROJECT_MARK = newId();
const ANY_MARK = new RegExp(`(${USER_MARK}|${PROJECT_MARK})`);

function fillMarks(parts: readonly string[], { userId, projectId = "" }: CatalogReader): string {
  const [user, project] = [insideJson(userId), insideJson(projectId)];
  let text = "";
  for (const part of parts) text += part === USER_MARK ? user : part === PROJECT_MARK ? project : part;
  return text;
}

/** A text as it is between quotation marks. Most ids are written as they are. */
const insideJson = (text: string): string => (/^\w*$/.test(text) ? text : JSON.stringify(text).slice(1, -1));

interface Offers {
  readonly offers: readonly Offer[];
  /** JSON for tokens with a project and without, split where it has ids of the token. Of unrestricted projects alone: it is long. */
  readonly texts?: Map<boolean, readonly string[]>;
}

interface AllOffers extends Offers {
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

/** An enabled service. */
interface OfferedService {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly OfferedEndpoint[];
}

/** An enabled endpoint as tokens show it, except for its URL. */
interface OfferedEndpoint {
  readonly id: string;
  readonly interface: string;
  readonly region_id: string | null;
  /** With placeholders. */
  readonly url: string;
  readonly region: string | null;
}

interface Tables {
  readonly service: {
    readonly id: string;
    readonly type: string;
    readonly name: string;
    readonly enabled: boolean;
  };
  readonly endpoint: EndpointRow & { readonly enabled: boolean };
}

interface EndpointRow {
  readonly id: string;
  readonly service_id: string;
  readonly region_id: string | null;
  readonly interface: string;
  readonly url: string;
  readonly extra: string;
}

/** Endpoints of one query. */
const MAX_ENDPOINTS = 1000;

/** All enabled services with their enabled endpoints, by id. */
async function readOffers(queries: Queries): Promise<OfferedService[]> {
  const tables = queries.tables<Tables>();
  const services = await tables
    .selectFrom("service")
    .select(["id", "type", "name"])
    .where("enabled", "=", true)
    .orderBy("id")
    .execute();
  const byService = new Map(services.map(({ id }) => [id, [] as OfferedEndpoint[]]));
  for (let after = "", isFull = true; isFull;) {
    const endpoints = await tables
      .selectFrom("endpoint")
      .select(["id", "service_id", "region_id", "interface", "url", "extra"])
      .where("enabled", "=", true)
      .where("id", ">", after)
      .orderBy("id")
      .limit(MAX_ENDPOINTS)
      .execute();
    for (const endpoint of endpoints) byService.get(endpoint.service_id)?.push(toOffered(endpoint));
    after = endpoints.at(-1)?.id ?? after;
    isFull = endpoints.length === MAX_ENDPOINTS;
    if (isFull) await nextTurn();
  }
  return services.map(({ id, type, name }) => ({ id, type, name, endpoints: byService.get(id) ?? [] }));
}

function toOffered({ id, region_id, interface: offeredTo, url, extra }: EndpointRow): OfferedEndpoint {
  return { ...parseAttributes(extra), id, interface: offeredTo, region_id, url, region: region_id };
}
