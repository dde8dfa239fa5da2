/** A route of a resource: its action, its documentation, and its name in the home document. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";

import { coreRelation, type HomeRelation } from "../discovery/json-home.js";
import { homeIn, type ExtensionPlace } from "./extension-place.js";
import type { HttpServer } from "./http-server.js";
import type { Query } from "./query.js";
import { pathOf } from "./validation/schema-parts.js";

/** What the routes of a resource have in common. */
export interface RouteFacts {
  readonly name: string;
  /** If not `name` with an s. */
  readonly plural?: string;
  /** The name in the home document, if not `name`. */
  readonly relation?: string;
  readonly homeStatus?: "experimental" | "deprecated";
  /** The extension that the resource belongs to; core, if left out. */
  readonly place?: ExtensionPlace;
  /** The section of the API document; the plural of `name`, if left out. */
  readonly tag?: string;
}

type Access = NonNullable<FastifyContextConfig["access"]>;

export interface RouteOptions {
  readonly summary?: string;
  /** The action and its target, if not the default action, such as `identity:update_region`, on `target`. */
  readonly access?: Access;
  readonly target?: Extract<Access, { target: unknown }>["target"];
  /** The names in the home document, if they don't follow from the resource's. */
  readonly home?: readonly HomeRelation[];
  /** Bytes of a request's body. */
  readonly bodyLimit?: number;
}

export type ResourceRequest = FastifyRequest<{
  Params: Readonly<Record<string, string>>;
  Querystring: Query;
}>;

interface Route {
  readonly verb: keyof typeof SUMMARIES;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Schemas of responses that have a body, by status. */
  readonly response?: Readonly<Record<number, TSchema>>;
  readonly handler: (request: ResourceRequest, reply: FastifyReply) => Promise<unknown>;
}

const SUMMARIES = { list: "Lists", create: "Creates", get: "Shows", update: "Changes", delete: "Deletes" };

export function addRoute(server: HttpServer, facts: RouteFacts, route: Route, options: RouteOptions): void {
  const { verb, method, url, query, body, response, handler } = route;
  const { access, target, summary = summaryOf(facts, route), home, bodyLimit } = options;
  const action = `identity:${verb}_${nounOf(facts, verb)}` as Extract<Access, string>;
  const parameters = Array.from(url.matchAll(/:(\w+)/g), ([, parameter = ""]) => parameter);
  // The types of schemas are checked where the options are given.
  (server as unknown as FastifyInstance).route({
    method,
    url,
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: {
      access: access ?? (target === undefined ? action : ({ action, target } as Access)),
      ...(method === "GET" && { home: home ?? homeOf(facts, verb, parameters) }),
    },
    schema: {
      tags: [facts.tag ?? spaced(pluralOf(facts))],
      summary,
      ...(parameters.length > 0 && { params: pathOf(...parameters) }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(response && { response }),
    },
    handler: handler as never,
  });
}

/** Sends a response without a body when the work is done. */
export async function noContent(
  reply: { code(status: 204): { send(): unknown } },
  work: Promise<unknown>,
): Promise<unknown> {
  await work;
  return reply.code(204).send();
}

/** Such as `Lists regions`, or `Creates or replaces an identity provider`. */
function summaryOf(facts: RouteFacts, { verb, method }: Route): string {
  const noun = spaced(nounOf(facts, verb));
  const replaces = method === "PUT" && facts.place?.putReplaces === true ? " or replaces" : "";
  const article = verb === "list" ? "" : /^[aeio]/.test(noun) ? " an" : " a";
  return `${SUMMARIES[verb]}${replaces}${article} ${noun}`;
}

function homeOf(
  facts: RouteFacts,
  verb: Route["verb"],
  parameters: readonly string[],
): readonly HomeRelation[] {
  const { relation, place, homeStatus: status } = facts;
  const noun = nounOf(relation === undefined ? facts : { name: relation }, verb);
  if (place !== undefined) return homeIn(place, noun, ...parameters);
  return [{ relation: coreRelation(noun), ...(status !== undefined && { status }) }];
}

type Noun = Pick<RouteFacts, "name" | "plural">;

export function pluralOf({ name, plural = `${name}s` }: Noun): string {
  return plural;
}

function nounOf(noun: Noun, verb: Route["verb"]): string {
  return verb === "list" ? pluralOf(noun) : noun.name;
}

/** `identity_provider` as prose has it. */
function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
