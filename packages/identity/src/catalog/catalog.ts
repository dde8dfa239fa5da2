/** The catalog that a token shows: what there is in the cloud, and where its bearer reaches it. */
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

/** With whatever else its clients have said of it. */
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

/** Whose catalog it is. */
export interface CatalogReader {
  readonly userId?: string | undefined;
  /** Left out for a token that is for no project. */
  readonly projectId?: string | undefined;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** What is offered is read once, and again only when something may have changed: each check of a token asks for it. */
export function createCatalog({ database, links }: CatalogDeps) {
  let kept: { readonly revision: number; readonly offers: Promise<readonly Offer[]> } | undefined;

  function offers(): Promise<readonly Offer[]> {
    const revision = database.revision("facts");
    if (kept?.revision === revision) return kept.offers;
    const current = { revision, offers: readOffers(database).then((services) => services.map(toOffer)) };
    kept = current;
    // The next one who asks tries again.
    current.offers.catch(() => {
      if (kept === current) kept = undefined;
    });
    return current.offers;
  }

  return {
    /** An endpoint whose address needs what the reader has not is left out; a service stays even without any. */
    async of({ userId, projectId }: CatalogReader): Promise<readonly CatalogEntry[]> {
      const values = { user_id: userId, project_id: projectId, public_endpoint: links.publicUrl };
      return (await offers()).map((offer) => entryOf(offer, values));
    },
  };
}

interface Offer {
  /** What everybody sees. */
  readonly entry: CatalogEntry;
  /** Endpoints with their addresses as they are written, where not everybody sees the same. */
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
