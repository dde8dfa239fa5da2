/** `/v3/auth/projects`, `domains`, `system` and `catalog`: what the bearer of a token may have a token for, and finds there. */
import type { TSchema } from "typebox";
import { Type } from "typebox";

import { coreRelation, extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd, type ListResponse } from "../platform/http/lists/paging.js";
import { listOf, SelfLink } from "../platform/http/validation/schema-parts.js";
import { NoCatalogError } from "../tokens/token-errors.js";
import type { Token, TokenService } from "../tokens/token-service.js";
import type { Catalog } from "./token-view.js";

/** What somebody has roles in. */
export interface Reach {
  readonly projectIds: readonly string[];
  readonly domainIds: readonly string[];
  readonly isSystem: boolean;
}

/** A project or a domain as it is shown. */
export type ShownPlace = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ScopeRoutesDeps {
  readonly tokens: Pick<TokenService, "read">;
  readonly reachOf: (actor: {
    readonly userId: string;
    readonly groupIds: readonly string[];
  }) => Promise<Reach>;
  /** Those of these ids that are enabled, in enabled domains. */
  readonly showProjects: (ids: readonly string[]) => Promise<ShownPlace[]>;
  readonly showDomains: (ids: readonly string[]) => Promise<ShownPlace[]>;
  readonly schemas: { readonly project: TSchema; readonly domain: TSchema };
  readonly catalogOf: (token: Token) => Promise<Catalog>;
  readonly links: Links;
}

const CatalogAnswer = Type.Object({
  catalog: Type.Array(Type.Object({}, { additionalProperties: true })),
  links: SelfLink,
});
const SystemAnswer = Type.Object({
  system: Type.Array(Type.Object({ all: Type.Literal(true) })),
  links: SelfLink,
});
const ALL = { limit: undefined, marker: undefined };

/** The federation's own name in the home document. */
const FEDERATION = "OS-FEDERATION";

/** Where the projects and domains are listed: for federated users elsewhere too, as Keystone once had it. */
const CORE_PLACE = "/v3/auth";
const PLACES = [CORE_PLACE, "/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"] as const;

/** The home document has Keystone's newer addresses under both names. */
function homeOf(prefix: string, what: "projects" | "domains"): HomeRelation[] {
  if (prefix !== CORE_PLACE) return [];
  return [{ relation: coreRelation(`auth_${what}`) }, { relation: extensionRelation(FEDERATION, what) }];
}

export function addScopeRoutes(server: HttpServer, deps: ScopeRoutesDeps): void {
  const { tokens, links, schemas } = deps;
  const tags = ["authentication"];

  const tokenOf = (headers: Headers): Promise<Token> => tokens.read(String(headers["x-auth-token"]));
  async function reachOf(headers: Headers): Promise<Reach> {
    const { payload, facts } = await tokenOf(headers);
    return deps.reachOf({ userId: payload.userId, groupIds: facts.groupIds });
  }
  /** Keystone gives these lists whole. */
  function sendShown<Key extends string>(
    reply: Parameters<typeof sendSlices>[0],
    key: Key,
    { url, slices }: { readonly url: string; readonly slices: AsyncIterable<readonly ShownPlace[]> },
  ) {
    const end = () => listEnd({ page: ALL, links, url }, undefined);
    return sendSlices(reply, key, { slices, end }) as Promise<ListResponse<Key, never>>;
  }

  for (const prefix of PLACES) {
    server.get(
      `${prefix}/projects`,
      {
        config: {
          access: "identity:get_auth_projects",
          home: homeOf(prefix, "projects"),
        },
        schema: {
          tags,
          summary: "Lists the projects that a token may be had for",
          response: { 200: listOf("projects", schemas.project) },
        },
      },
      async ({ headers, url }, reply) => {
        const { projectIds } = await reachOf(headers);
        return sendShown(reply, "projects", { url, slices: shownSlices(projectIds, deps.showProjects) });
      },
    );

    server.get(
      `${prefix}/domains`,
      {
        config: {
          access: "identity:get_auth_domains",
          home: homeOf(prefix, "domains"),
        },
        schema: {
          tags,
          summary: "Lists the domains that a token may be had for",
          response: { 200: listOf("domains", schemas.domain) },
        },
      },
      async ({ headers, url }, reply) => {
        const { domainIds } = await reachOf(headers);
        return sendShown(reply, "domains", { url, slices: shownSlices(domainIds, deps.showDomains) });
      },
    );
  }

  server.get(
    "/v3/auth/system",
    {
      config: { access: "identity:get_auth_system", home: [{ relation: coreRelation("auth_system") }] },
      schema: {
        tags,
        summary: "Tells whether a token may be had for the system",
        response: { 200: SystemAnswer },
      },
    },
    async ({ headers }) => {
      const { isSystem } = await reachOf(headers);
      return {
        system: isSystem ? [{ all: true as const }] : [],
        links: { self: links.to("/v3/auth/system") },
      };
    },
  );

  server.get(
    "/v3/auth/catalog",
    {
      config: { access: "identity:get_auth_catalog", home: [{ relation: coreRelation("auth_catalog") }] },
      schema: { tags, summary: "Shows the catalog of the token's scope", response: { 200: CatalogAnswer } },
    },
    async ({ headers }) => {
      const token = await tokenOf(headers);
      // Tokens for a domain or the system show their catalog themselves, and only there.
      if (token.facts.scope.kind !== "project") throw new NoCatalogError();
      return { catalog: await deps.catalogOf(token), links: { self: links.to("/v3/auth/catalog") } };
    },
  );
}

/** Ids that are shown at once. */
const MAX_IDS = 500;

async function* shownSlices(
  ids: readonly string[],
  show: (ids: readonly string[]) => Promise<ShownPlace[]>,
): AsyncGenerator<readonly ShownPlace[]> {
  const ordered = ids.toSorted();
  for (let start = 0; start < ordered.length; start += MAX_IDS)
    yield await show(ordered.slice(start, start + MAX_IDS));
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
