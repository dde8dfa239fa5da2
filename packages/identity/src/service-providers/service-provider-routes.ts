/** `/service_providers` of the federation. */
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
  ChangedServiceProvider,
  ServiceProviderAnswer,
  ServiceProviderList,
  NewServiceProvider,
} from "./service-provider-schema.js";
import type { ServiceProviderService } from "./service-provider-service.js";
import type { ServiceProvider } from "./service-provider-store.js";

export interface ServiceProviderRoutesDeps {
  readonly serviceProviders: ServiceProviderService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

const tags = ["service providers"];
const params = pathOf("service_provider_id");
const querystring = Type.Object({
  ...queryOf("id", ...PAGE_PARAMETERS).properties,
  enabled: Type.Optional(BooleanParameter),
});

export function addServiceProviderRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { serviceProviders, links, listLimit }: ServiceProviderRoutesDeps,
): void {
  const collection = `${place.prefix}/service_providers`;
  const member = `${collection}/:service_provider_id`;
  const viewOf = ({ authUrl, spUrl, relayStatePrefix, ...provider }: ServiceProvider) => ({
    ...provider,
    auth_url: authUrl,
    sp_url: spUrl,
    relay_state_prefix: relayStatePrefix,
    links: { self: links.self(collection, provider.id) },
  });
  const show = (provider: ServiceProvider) => ({ service_provider: viewOf(provider) });

  server.get(
    collection,
    {
      config: { access: "identity:list_service_providers", home: homeIn(place, "service_providers") },
      schema: {
        tags,
        summary: "Lists service providers",
        querystring,
        response: { 200: ServiceProviderList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const enabled = allValues(query, "enabled")
        .map(readBoolean)
        .filter((value) => value !== undefined);
      const filters = readFilters(query, ["id"]);
      const readPart = async (part: Page) =>
        (await serviceProviders.list({ filters, enabled, page: part })).map(viewOf);
      return sendPages(reply, "service_providers", readPart, { page, links, url });
    },
  );

  server.get(
    member,
    {
      config: {
        access: "identity:get_service_provider",
        home: homeIn(place, "service_provider", "service_provider_id"),
      },
      schema: { tags, summary: "Shows a service provider", params, response: { 200: ServiceProviderAnswer } },
    },
    async ({ params: { service_provider_id: id } }) => show(await serviceProviders.get(id)),
  );

  server.put(
    member,
    {
      config: { access: "identity:create_service_provider" },
      schema: {
        tags,
        summary: place.putReplaces ? "Creates or replaces a service provider" : "Creates a service provider",
        params,
        body: NewServiceProvider,
        response: { 200: ServiceProviderAnswer, 201: ServiceProviderAnswer },
      },
    },
    async ({ params: { service_provider_id: id }, body }, reply) => {
      const { provider, isNew } = await serviceProviders.put(id, body.service_provider, {
        replaces: place.putReplaces,
      });
      return reply.code(isNew ? 201 : 200).send(show(provider));
    },
  );

  server.patch(
    member,
    {
      config: { access: "identity:update_service_provider" },
      schema: {
        tags,
        summary: "Changes a service provider",
        params,
        body: ChangedServiceProvider,
        response: { 200: ServiceProviderAnswer },
      },
    },
    async ({ params: { service_provider_id: id }, body }) =>
      show(await serviceProviders.update(id, body.service_provider)),
  );

  server.delete(
    member,
    {
      config: { access: "identity:delete_service_provider" },
      schema: { tags, summary: "Deletes a service provider", params },
    },
    async ({ params: { service_provider_id: id } }, reply) => {
      await serviceProviders.delete(id);
      return reply.code(204).send();
    },
  );
}
