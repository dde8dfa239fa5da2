/** A route of SCIM, and what its request asks for: page, filter, attributes, body and version. */
import type { FastifyReply } from "fastify";
import { Type } from "typebox";

import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { addRoute, type Route, type RouteRequest } from "../../platform/http/route.js";
import { parseScimFilter } from "../filter/filter-parser.js";
import { readProjection, type Projection } from "../schema/projection.js";
import type { ScimObject, ScimResourceType } from "../schema/scim-attribute.js";
import { DEFAULT_COUNT, MAX_COUNT, type ScimPageQuery } from "../scim-lists.js";
import type { ScimProvider } from "../scim-provider.js";

export const SCIM_PREFIX = "/scim/v2";
export const SCIM_BASE = `${SCIM_PREFIX}/:idp_id`;

/** In audit records. */
type ScimAction = `scim:${"create" | "replace" | "update" | "delete"}_${"user" | "group"}`;

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a SCIM route does, in audit records. */
    readonly scimAction?: ScimAction;
  }
}

interface ScimRoute extends Pick<Route, "method" | "path" | "summary"> {
  readonly action?: ScimAction;
  readonly handler: (request: ScimRequest, reply: FastifyReply) => unknown;
}

export type ScimRequest = RouteRequest<"id">;

const LIST_QUERY = {
  filter: Type.Optional(Type.String()),
  startIndex: Type.Optional(Type.String()),
  count: Type.Optional(Type.String()),
};
const PROJECTION_QUERY = {
  attributes: Type.Optional(Type.String()),
  excludedAttributes: Type.Optional(Type.String()),
};

export function addScimRoute(server: HttpServer, { action, handler, ...route }: ScimRoute): void {
  const isList = route.method === "GET" && !route.path.endsWith(":id");
  addRoute(server, {
    ...route,
    path: `${SCIM_BASE}${route.path}`,
    access: "public",
    tag: "SCIM",
    bodyLimit: BODY_LIMITS.scim,
    query: Type.Object({ ...(isList && LIST_QUERY), ...PROJECTION_QUERY }),
    ...(action !== undefined && { isPublicChange: true, more: { scimAction: action } }),
    handler,
  });
}

export function scimProviderOf({ scimCaller }: ScimRequest): ScimProvider {
  if (scimCaller === undefined) throw new TypeError("a SCIM route without its caller");
  return scimCaller.provider;
}

export const scimBodyOf = ({ body }: ScimRequest) => body as ScimObject;
export const resourceKeyOf = ({ params, headers }: ScimRequest) => ({
  id: params.id,
  ifMatch: headers["if-match"],
});

/** A start below 1 is 1, and a negative count is 0 (RFC 7644, section 3.4.2.4). */
export function requestedPage({ query }: ScimRequest): ScimPageQuery {
  return {
    startIndex: Math.max(1, numberOf(query["startIndex"], 1)),
    count: Math.min(MAX_COUNT, Math.max(0, numberOf(query["count"], DEFAULT_COUNT))),
  };
}

function numberOf(value: unknown, standard: number): number {
  const text = lastTextOf(value);
  return text !== undefined && /^[+-]?\d{1,9}$/.test(text) ? Number(text) : standard;
}

export function requestedFilter({ query }: ScimRequest) {
  const filter = lastTextOf(query["filter"]);
  return filter === undefined || filter.trim() === "" ? undefined : parseScimFilter(filter);
}

export function requestedProjection({ query }: ScimRequest, type: ScimResourceType): Projection {
  const names = {
    attributes: lastTextOf(query["attributes"]),
    excludedAttributes: lastTextOf(query["excludedAttributes"]),
  };
  return readProjection(names, type);
}

/** Of a repeated parameter, the last value. */
export function lastTextOf(value: unknown): string | undefined {
  const last = Array.isArray(value) ? (value.at(-1) as unknown) : value;
  return typeof last === "string" ? last : undefined;
}
