/** Adds routes, with their access, their documentation and their names in the home document. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type, type Static, type TSchema } from "typebox";

import { coreRelation, type HomeRelation } from "../discovery/json-home.js";
import type { HttpServer } from "./http-server.js";
import type { Query } from "./query.js";
import type { EndListener } from "./request-end.js";
import { pathOf } from "./validation/schema-parts.js";

export type RouteAccess = NonNullable<FastifyContextConfig["access"]>;

/** What a route declares. */
export interface RouteDeclaration {
  readonly access: RouteAccess;
  /** The action in audit records, if not that of `access`. A GET request is recorded only if it has one. */
  readonly auditedAs?: string;
  /** Whether it changes nothing, whatever its method: then it is not recorded. */
  readonly isRead?: true;
  /** Whether a public route changes something; logins don't count. */
  readonly isPublicChange?: true;
  /** More of the route's configuration, which a feature has declared. */
  readonly more?: FastifyContextConfig;
  /** The method of logins at this route: rejected ones are recorded. */
  readonly login?: string;
  /** The name in the home document, if it has one: of a core resource, or with its extension and parameters. */
  readonly home?: string | readonly HomeRelation[] | undefined;
  readonly summary: string;
  /** Schemas of parameters of the path that may not have any value. */
  readonly parameters?: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema | undefined;
  readonly body?: TSchema | undefined;
  /** Bytes of a request's body. */
  readonly bodyLimit?: number | undefined;
  readonly atEnd?: EndListener;
}

/** A request of a path with these parameters. */
export type RouteRequest<
  Parameter extends string = string,
  Parameters = Query,
  Body = unknown,
> = FastifyRequest<{
  Params: Readonly<Record<Parameter, string>>;
  Querystring: Parameters;
  Body: Body;
}>;

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A route as the server has it. */
export interface Route extends RouteDeclaration {
  readonly method: Method;
  readonly path: string;
  /** The section of the API document. */
  readonly tag: string;
  /** Schemas of responses that have a body, by status. */
  readonly response?: Readonly<Record<number, TSchema>> | undefined;
  readonly handler: (request: RouteRequest, reply: FastifyReply) => unknown;
}

export function addRoute(
  server: HttpServer,
  { method, path, tag, response, handler, ...facts }: Route,
): void {
  const { access, auditedAs, isRead, isPublicChange, more, login, home } = facts;
  const { summary, parameters, query, body, bodyLimit, atEnd } = facts;
  const names = parametersOf(path);
  // The types of schemas are checked where the options are given.
  (server as unknown as FastifyInstance).route({
    method,
    url: path,
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: {
      ...more,
      ...(atEnd && { endListeners: [atEnd] }),
      access,
      ...(auditedAs !== undefined && { auditedAs }),
      ...(isRead && { isRead }),
      ...(isPublicChange && { isPublicChange }),
      ...(login !== undefined && { login }),
      ...(home && { home: typeof home === "string" ? [{ relation: coreRelation(home) }] : home }),
    },
    schema: {
      tags: [tag],
      summary,
      ...(names.length > 0 && { params: Type.Object({ ...pathOf(...names).properties, ...parameters }) }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(response && { response }),
    },
    handler: handler as never,
  });
}

/** The names of a path's parameters. */
export function parametersOf(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, parameter = ""]) => parameter);
}

/** The parameters of a path; any, if the path is not known to the compiler. */
type ParameterOf<Path extends string> = string extends Path
  ? string
  : Path extends `${string}:${infer Parameter}/${infer Rest}`
    ? Parameter | ParameterOf<`/${Rest}`>
    : Path extends `${string}:${infer Parameter}`
      ? Parameter
      : never;

/** Unknown for the schema of a part that the route does not have. */
type PartOf<Schema extends TSchema, Unknown = unknown> = TSchema extends Schema ? Unknown : Static<Schema>;

interface RouteOptions<
  Path extends string,
  Parameters extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
> extends RouteDeclaration {
  readonly query?: Parameters;
  readonly body?: Body;
  /** The schema of the response; without one it has no body. */
  readonly response?: Response;
  /** 200, or 204 without a body, if left out. */
  readonly status?: 201;
  /** Returns the body of the response, if it has one. */
  readonly handle: (
    request: RouteRequest<ParameterOf<Path>, PartOf<Parameters, Query>, Static<Body>>,
    reply: FastifyReply,
  ) => PartOf<Response> | Promise<PartOf<Response>>;
}

/**
 * Adds routes outside the collection and the items of a resource: links between resources, and what is done with an item.
 *
 * @param tag Their section of the API document.
 */
export function createRoutes(server: HttpServer, tag: string) {
  return <
    const Path extends string,
    Parameters extends TSchema = TSchema,
    Body extends TSchema = TSchema,
    Response extends TSchema = TSchema,
  >(
    method: Method,
    path: Path,
    { response, status, handle, ...facts }: RouteOptions<Path, Parameters, Body, Response>,
  ): void => {
    const run = handle as Route["handler"];
    const isPlain = response !== undefined && status === undefined;
    async function handler(request: RouteRequest, reply: FastifyReply): Promise<unknown> {
      const result = await run(request, reply);
      return reply.code(status ?? 204).send(response && result);
    }
    addRoute(server, {
      ...facts,
      method,
      path,
      tag,
      response: response === undefined ? status && { [status]: Type.Null() } : { [status ?? 200]: response },
      handler: isPlain ? run : handler,
    });
  };
}
