/**
 * Builds the OpenAPI document from the routes' schemas.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
import { STATUS_CODES } from "node:http";

import type { FastifyInstance, FastifySchema } from "fastify";

import type {
  OpenApiDocument,
  Operation,
  OperationResponse,
  Parameter,
  OpenApiSchema,
} from "./openapi-types.js";

export interface DocumentInfo {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly publicUrl: string;
}

/** Paths are in the order of their routes. */
export function openApiDocument(
  routes: readonly DocumentedRoute[],
  { publicUrl, ...info }: DocumentInfo,
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) (paths[pathOf(route.url)] ??= {})[route.method] = operationOf(route);
  const tags = [...new Set(routes.flatMap(({ schema }) => schema.tags ?? []))];
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: COMPONENTS,
  };
}

const COMPONENTS: OpenApiDocument["components"] = {
  securitySchemes: { token: { type: "apiKey", in: "header", name: "X-Auth-Token" } },
  schemas: {
    Error: {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message", "title"],
          properties: {
            code: { type: "integer" },
            message: { type: "string" },
            title: { type: "string" },
          },
        },
      },
    },
  },
};

/** `/v3/regions/:region_id` becomes `/v3/regions/{region_id}`. */
function pathOf(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}");
}

function operationOf(route: DocumentedRoute): Operation {
  const { method, url, action, schema } = route;
  const { summary, description, tags = [], body } = schema;
  const parameters = parametersOf(route);
  return {
    operationId: `${method}${url.replaceAll(/\W+/g, "_")}`,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [...tags],
    ...(action === undefined ? { security: [] } : { "x-required-action": action }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body as OpenApiSchema) } }),
    responses: { ...successResponses(route), ...errorResponses(route) },
  };
}

function parametersOf({ url, schema }: DocumentedRoute): Parameter[] {
  const params = propertiesOf(schema.params);
  const inPath = Array.from(url.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  return [
    ...inPath.map((name) => ({
      name,
      in: "path" as const,
      required: true,
      schema: params[name] ?? { type: "string" },
    })),
    ...optionalParameters("query", schema.querystring),
    ...optionalParameters("header", schema.headers),
  ];
}

function optionalParameters(place: "query" | "header", schema: unknown): Parameter[] {
  const { required = [] } = (schema ?? {}) as OpenApiSchema;
  return Object.entries(propertiesOf(schema)).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function propertiesOf(schema: unknown): Readonly<Record<string, OpenApiSchema>> {
  return (schema as OpenApiSchema | undefined)?.properties ?? {};
}

/** The responses of the route's schema; 204 without one. */
function successResponses({ schema }: DocumentedRoute): Record<string, OperationResponse> {
  const { response = { 204: { type: "null" } } } = schema as {
    readonly response?: Record<string, ResponseSchema>;
  };
  return Object.fromEntries(
    Object.entries(response).map(([status, each]) => {
      const description = each.description ?? STATUS_CODES[status] ?? "Response";
      return [status, { description, ...contentOf(each) }];
    }),
  );
}

/** A JSON schema, or Fastify's form of schemas by media type. */
type ResponseSchema = OpenApiSchema & {
  readonly content?: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
};

function contentOf(response: ResponseSchema): Pick<OperationResponse, "content"> {
  if (response.content !== undefined) return { content: response.content };
  return response.type === "null" ? {} : { content: json(response) };
}

function json(schema: OpenApiSchema) {
  return { "application/json": { schema } };
}

function errorResponses({ url, action, schema }: DocumentedRoute): Record<string, OperationResponse> {
  const statuses = [
    ...(schema.body !== undefined || schema.querystring !== undefined ? [400] : []),
    ...(action === undefined ? [] : [401, 403]),
    ...(url.includes(":") ? [404] : []),
  ];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, errorResponse(STATUS_CODES[status] ?? "Error")])),
    default: errorResponse("Any other error"),
  };
}

function errorResponse(description: string): OperationResponse {
  return { description, content: json({ $ref: "#/components/schemas/Error" }) };
}

interface DocumentedRoute {
  /** In lower case. */
  readonly method: string;
  /** With parameters as `:name`. */
  readonly url: string;
  /** The required policy action; `undefined` for public routes. */
  readonly action: string | undefined;
  readonly schema: RouteSchema;
}

/** A route's schema with the members of the document. */
export type RouteSchema = FastifySchema & {
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
};

/** Collects routes added afterwards. HEAD is left out where GET exists. */
export function watchDocumented(server: FastifyInstance): () => readonly DocumentedRoute[] {
  const routes: DocumentedRoute[] = [];
  server.addHook("onRoute", ({ url, method, schema, config }) => {
    if (!isDocumented(schema)) return;
    for (const name of [method].flat())
      routes.push({ method: name.toLowerCase(), url, action: actionOf(config), schema });
  });
  return () => {
    const read = new Set(routes.filter(({ method }) => method === "get").map(({ url }) => url));
    return routes.filter(({ method, url }) => method !== "head" || !read.has(url));
  };
}

function isDocumented(schema: FastifySchema | undefined): schema is RouteSchema {
  return typeof (schema as { readonly summary?: unknown } | undefined)?.summary === "string";
}

/** Reads `access` by its shape: platform/ does not import policy/. */
function actionOf(config: unknown): string | undefined {
  const { access } = (config ?? {}) as { readonly access?: string | { readonly action: string } };
  const action = typeof access === "object" ? access.action : access;
  return action === "public" ? undefined : action;
}
