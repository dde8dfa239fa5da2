/** `/identity_providers` of the federation. */
import { Type } from "typebox";

import { BooleanParameter, readBoolean } from "../platform/http/validation/boolean-parameter.js";
import { homeIn, type ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { allValues } from "../platform/http/query.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import {
  ChangedIdentityProvider,
  IdentityProviderAnswer,
  IdentityProviderList,
  NewIdentityProvider,
} from "./identity-provider-schema.js";
import type { IdentityProviderService } from "./identity-provider-service.js";
import type { IdentityProvider } from "./identity-provider-store.js";

export interface IdentityProviderRoutesDeps {
  readonly identityProviders: IdentityProviderService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

const tags = ["identity providers"];
const params = pathOf("idp_id");
const querystring = Type.Object({
  ...queryOf("id", ...PAGE_PARAMETERS).properties,
  enabled: Type.Optional(BooleanParameter),
});

export function addIdentityProviderRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { identityProviders, links, listLimit }: IdentityProviderRoutesDeps,
): void {
  const collection = `${place.prefix}/identity_providers`;
  const member = `${collection}/:idp_id`;
  const show = (provider: IdentityProvider) => ({
    identity_provider: { ...viewOf(provider), links: { self: links.self(collection, provider.id) } },
  });
  const showInList = (provider: IdentityProvider) => {
    const self = links.self(collection, provider.id);
    return { ...viewOf(provider), links: { self, protocols: `${self}/protocols` } };
  };

  server.get(
    collection,
    {
      config: { access: "identity:list_identity_providers", home: homeIn(place, "identity_providers") },
      schema: {
        tags,
        summary: "Lists identity providers",
        querystring,
        response: { 200: IdentityProviderList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const enabled = allValues(query, "enabled")
        .map(readBoolean)
        .filter((value) => value !== undefined);
      const filters = readFilters(query, ["id"]);
      const readPart = async (part: Page) =>
        (await identityProviders.list({ filters, enabled, page: part })).map(showInList);
      return sendPages(reply, "identity_providers", readPart, { page, links, url });
    },
  );

  server.get(
    member,
    {
      config: {
        access: "identity:get_identity_provider",
        home: homeIn(place, "identity_provider", "idp_id"),
      },
      schema: {
        tags,
        summary: "Shows an identity provider",
        params,
        response: { 200: IdentityProviderAnswer },
      },
    },
    async ({ params: { idp_id: id } }) => show(await identityProviders.get(id)),
  );

  server.put(
    member,
    {
      config: { access: "identity:create_identity_provider" },
      schema: {
        tags,
        summary: place.putReplaces
          ? "Creates or replaces an identity provider"
          : "Creates an identity provider",
        params,
        body: NewIdentityProvider,
        response: { 200: IdentityProviderAnswer, 201: IdentityProviderAnswer },
      },
    },
    async ({ params: { idp_id: id }, body: { identity_provider: draft = {} } }, reply) => {
      const { provider, isNew } = await identityProviders.put(id, draft, { replaces: place.putReplaces });
      return reply.code(isNew ? 201 : 200).send(show(provider));
    },
  );

  server.patch(
    member,
    {
      config: { access: "identity:update_identity_provider" },
      schema: {
        tags,
        summary: "Changes an identity provider",
        params,
        body: ChangedIdentityProvider,
        response: { 200: IdentityProviderAnswer },
      },
    },
    async ({ params: { idp_id: id }, body }) =>
      show(await identityProviders.update(id, body.identity_provider)),
  );

  server.post(
    `${member}/end_sessions`,
    {
      config: {
        access: "identity:update_identity_provider",
        auditedAs: "identity:end_identity_provider_sessions",
        home: homeIn(place, "identity_provider_end_sessions", "idp_id"),
      },
      schema: { tags, summary: "Ends all tokens had by logins through an identity provider", params },
    },
    async ({ params: { idp_id: id } }, reply) => {
      await identityProviders.endSessions(id);
      return reply.code(204).send();
    },
  );

  server.delete(
    member,
    {
      config: { access: "identity:delete_identity_provider" },
      schema: { tags, summary: "Deletes an identity provider, its protocols and its users", params },
    },
    async ({ params: { idp_id: id } }, reply) => {
      await identityProviders.delete(id);
      return reply.code(204).send();
    },
  );
}

function viewOf(provider: IdentityProvider) {
  const { id, domainId, enabled, description, remoteIds, authorizationTtl, authorizedDomains } = provider;
  return {
    id,
    domain_id: domainId,
    enabled,
    description,
    remote_ids: [...remoteIds],
    authorization_ttl: authorizationTtl,
    ...(authorizedDomains !== null && { authorized_domains: [...authorizedDomains] }),
  };
}
