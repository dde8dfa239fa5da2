/** What of SCIM the service supports: `/scim/v2/{idp_id}/ServiceProviderConfig`, `/ResourceTypes`, `/Schemas`, and what it does not offer. */
import type { FastifyInstance, FastifyReply } from "fastify";

import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import type { ScimObject, ScimResourceType } from "../schema/scim-attribute.js";
import { ScimPathNotFoundError } from "../scim-errors.js";
import {
  errorMessage,
  RESOURCE_TYPES,
  resourceTypeMessage,
  schemaMessage,
  SCHEMAS,
  serviceProviderConfig,
} from "./scim-messages.js";
import { SCIM_TYPE, sendDocument, sendList } from "./scim-responses.js";
import { addScimRoute, SCIM_BASE, SCIM_PREFIX, scimProviderOf, type ScimRequest } from "./scim-route.js";

/** What the service supports. */
export function addScimDocumentRoutes(server: HttpServer, { links }: { readonly links: Links }): void {
  const place = (request: ScimRequest, ...parts: readonly string[]) =>
    links.self(SCIM_PREFIX, scimProviderOf(request).id, ...parts);
  const typeOf = (request: ScimRequest, type: ScimResourceType) =>
    resourceTypeMessage(type, place(request, "ResourceTypes", type.name));
  const schemaOf = (request: ScimRequest, schema: (typeof SCHEMAS)[number]) =>
    schemaMessage(schema, place(request, "Schemas", schema.id));

  addScimRoute(server, {
    method: "GET",
    path: "/ServiceProviderConfig",
    summary: "Shows which parts of SCIM are supported",
    handler: (request, reply) =>
      sendDocument(
        reply,
        serviceProviderConfig((path) => `${place(request)}${path}`),
      ),
  });
  addScimRoute(server, {
    method: "GET",
    path: "/ResourceTypes",
    summary: "Lists the types of SCIM resources",
    handler: (request, reply) =>
      sendAll(
        reply,
        RESOURCE_TYPES.map((type) => typeOf(request, type)),
      ),
  });
  addScimRoute(server, {
    method: "GET",
    path: "/ResourceTypes/:id",
    summary: "Shows a type of SCIM resources",
    handler(request, reply) {
      const found = RESOURCE_TYPES.find(({ name }) => name === request.params.id);
      if (found === undefined) throw new ScimPathNotFoundError(request.params.id);
      return sendDocument(reply, typeOf(request, found));
    },
  });
  addScimRoute(server, {
    method: "GET",
    path: "/Schemas",
    summary: "Lists the schemas of SCIM resources",
    handler: (request, reply) =>
      sendAll(
        reply,
        SCHEMAS.map((schema) => schemaOf(request, schema)),
      ),
  });
  addScimRoute(server, {
    method: "GET",
    path: "/Schemas/:id",
    summary: "Shows a schema of SCIM resources",
    handler(request, reply) {
      const found = SCHEMAS.find(({ id }) => id.toLowerCase() === request.params.id.toLowerCase());
      if (found === undefined) throw new ScimPathNotFoundError(request.params.id);
      return sendDocument(reply, schemaOf(request, found));
    },
  });
}

function sendAll(reply: FastifyReply, resources: readonly ScimObject[]): Promise<FastifyReply> {
  const texts = resources.map((resource) => JSON.stringify(resource));
  return sendList(reply, { total: resources.length, startIndex: 1 }, texts);
}

/** Bulk, searches by POST and `/Me` (RFC 7644, sections 3.4.3, 3.7 and 3.11). */
const NOT_OFFERED = [
  { path: "/Bulk", methods: ["POST"] },
  { path: "/.search", methods: ["POST"] },
  { path: "/Users/.search", methods: ["POST"] },
  { path: "/Groups/.search", methods: ["POST"] },
  { path: "/Me", methods: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
] as const;

export function addUnsupportedRoutes(scope: FastifyInstance): void {
  // Their answers are those of SCIM, too.
  scope.route({
    method: "GET",
    url: `${SCIM_BASE}/*`,
    config: { access: "public" },
    schema: { tags: ["SCIM"], summary: "Not found" },
    handler(request) {
      throw new ScimPathNotFoundError((request.params as { readonly "*": string })["*"]);
    },
  });
  for (const { path, methods } of NOT_OFFERED)
    scope.route({
      method: [...methods],
      url: `${SCIM_BASE}${path}`,
      bodyLimit: BODY_LIMITS.scim,
      config: { access: "public" },
      schema: { tags: ["SCIM"], summary: "Not offered" },
      handler: async (_request, reply) =>
        reply
          .code(501)
          .type(SCIM_TYPE)
          .send(JSON.stringify(errorMessage(501, `${path} is not offered.`))),
    });
}
