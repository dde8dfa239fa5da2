/** `/v3/auth/projects`, `domains`, `system` and `catalog`: the scopes available to a token's user, and the catalog. */
import type { TSchema } from "typebox";
import { Type } from "typebox";

import type { Platform } from "../area.js";
import { coreRelation, extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd, type ListResponse } from "../platform/http/lists/paging.js";
import { listOf, SelfLink } from "../platform/http/validation/schema-parts.js";
import type { Token, TokenService } from "../tokens/token-service.js";
import { NoCatalogError } from "./auth-errors.js";
import { catalogOf, type TokenCatalogDeps } from "./token-response.js";

/** The scopes in which a user has roles. */
export interface AvailableScopes {
  readonly projectIds: readonly string[];
  readonly domainIds: readonly string[];
  readonly isSystem: boolean;
}

/** A project or a domain in a response. */
export type ShownPlace = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ScopeRoutesDeps extends TokenCatalogDeps, Pick<Platform, "links"> {
  readonly tokens: Pick<TokenService, "read">;
  readonly scopesOf: (actor: {
    readonly userId: string;
    readonly groupIds: readonly string[];
  }) => Promise<AvailableScopes>;
  /** The projects of these ids that are enabled, in enabled domains. */
  readonly showProjects: (ids: readonly string[]) => Promise<ShownPlace[]>;
  readonly showDomains: (ids: readonly string[]) => Promise<ShownPlace[]>;
  readonly schemas: { readonly project: TSchema; readonly domain: TSchema };
}

const CatalogResponse = Type.Object({
  catalog: Type.Array(Type.Object({}, { additionalProperties: true })),
  links: SelfLink,
});
const SystemResponse = Type.Object({
  system: Type.Array(Type.Object({ all: Type.Literal(true) })),
  links: SelfLink,
});
const ALL = { limit: undefined, marker: undefined };

/** The extension in the home document. */
const FEDERATION = "OS-FEDERATION";

/** The lists are served under the federation's prefixes too, where Keystone introduced them. */
const CORE_PLACE = "/v3/auth";
const PLACES = [CORE_PLACE, "/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"] as const;

/** The home document lists `/v3/auth` under both relations. */
function homeOf(prefix: string, what: "projects" | "domains"): HomeRelation[] {
  if (prefix !== CORE_PLACE) return [];
  return [{ relation: coreRelation(`auth_${what}`) }, { relation: extensionRelation(FEDERATION, what) }];
}

export function addScopeRoutes(server: HttpServer, deps: ScopeRoutesDeps): void {
  const { tokens, links, schemas } = deps;
  const tags = ["authentication"];

  const tokenOf = (headers: Headers): Token | Promise<Token> => tokens.read(String(headers["x-auth-token"]));
  async function scopesOf(headers: Headers): Promise<AvailableScopes> {
    const { payload, facts } = await tokenOf(headers);
    return deps.scopesOf({ userId: payload.userId, groupIds: facts.groupIds });
  }
  /** Unpaged, as in Keystone. */
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
          summary: "Lists the projects for which the user may get a token",
          response: { 200: listOf("projects", schemas.project) },
        },
      },
      async ({ headers, url }, reply) => {
        const { projectIds } = await scopesOf(headers);
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
          summary: "Lists the domains for which the user may get a token",
          response: { 200: listOf("domains", schemas.domain) },
        },
      },
      async ({ headers, url }, reply) => {
        const { domainIds } = await scopesOf(headers);
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
        summary: "Shows whether the user may get a token for the system",
        response: { 200: SystemResponse },
      },
    },
    async ({ headers }) => {
      const { isSystem } = await scopesOf(headers);
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
      schema: { tags, summary: "Shows the catalog of the token's scope", response: { 200: CatalogResponse } },
    },
    async ({ headers }) => {
      const token = await tokenOf(headers);
      // Domain and system tokens carry their catalog; Keystone serves it nowhere else.
      if (token.facts.scope.kind !== "project") throw new NoCatalogError();
      return { catalog: await catalogOf(deps, token), links: { self: links.to("/v3/auth/catalog") } };
    },
  );
}

/** Ids per query. */
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
