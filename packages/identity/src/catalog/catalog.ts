/** The catalog of a token: the services of the cloud and their endpoints. */
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

export interface CatalogDeps {
  readonly database: Database;
  readonly links: Links;
}

/** The token whose catalog it is. */
export interface CatalogReader {
  readonly userId?: string | undefined;
  /** Left out for a token without a project. */
  readonly projectId?: string | undefined;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** Offers are cached until facts change: each validation of a token needs them. */
export function createCatalog({ database, links }: CatalogDeps) {
  let cached: { readonly revision: number; readonly offers: Promise<readonly Offer[]> } | undefined;

  function offers(): Promise<readonly Offer[]> {
    const revision = database.revision("facts");
    if (cached?.revision === revision) return cached.offers;
    const current = { revision, offers: readOffers(database).then((services) => services.map(toOffer)) };
    cached = current;
    // The next call tries again.
    current.offers.catch(() => {
      if (cached === current) cached = undefined;
    });
    return current.offers;
  }

  return {
    /** An endpoint whose URL needs a value that the token has not is left out; its service stays. */
    async of({ userId, projectId }: CatalogReader): Promise<readonly CatalogEntry[]> {
      const values = { user_id: userId, project_id: projectId, public_endpoint: links.publicUrl };
      return (await offers()).map((offer) => entryOf(offer, values));
    },
  };
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

function entryOf({ entry, templates }: Offer, values: UrlValues): CatalogEntry {
  if (templates === undefined) return entry;
  const endpoints = templates.flatMap(({ endpoint, url: template }) => {
    const url = fillUrlTemplate(template, values);
    return url === undefined ? [] : [{ ...endpoint, url }];
  });
  return { ...entry, endpoints };
}
