/** Resources of the API: adds the usual routes of a collection and its items, from the facts in which resources differ. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";

import type { ListQuery } from "../database/list-query.js";
import { coreRelation, type HomeRelation } from "../discovery/json-home.js";
import { homeIn, type ExtensionPlace } from "./extension-place.js";
import type { HttpServer } from "./http-server.js";
import type { Links } from "./links.js";
import { readFilters } from "./lists/list-filters.js";
import { sendPages, type CachedList } from "./lists/long-list.js";
import { readPage, type Page } from "./lists/paging.js";
import type { Query } from "./query.js";
import { bodyOf, listOf, PAGE_PARAMETERS, pathOf, queryOf } from "./validation/schema-parts.js";

export interface ResourceDeps {
  readonly links: Links;
  /** Items of a list whose request names no limit; all of them, if `undefined`. */
  readonly listLimit: number | undefined;
}

/** What a resource is called, its path, and its view. */
export interface ResourceFacts<Item, Schema extends TSchema, Name extends string> {
  /** Of the collection: `/v3/regions`. */
  readonly path: string;
  /** The path parameter of an item: `region_id`. */
  readonly id: string;
  /** The member of bodies that holds an item, and the noun of actions: `region`. */
  readonly name: Name;
  /** The name in the home document, if not `name`. */
  readonly relation?: string;
  readonly homeStatus?: "experimental" | "deprecated";
  /** The extension that the resource belongs to; core, if left out. */
  readonly place?: ExtensionPlace;
  /** The section of the API document; the plural of `name`, if left out. */
  readonly tag?: string;
  /** What an item's view is validated and documented by. */
  readonly schema: Schema;
  readonly view: (item: Item) => Static<Schema>;
}

type Access = NonNullable<FastifyContextConfig["access"]>;
type Target = Extract<Access, { target: unknown }>["target"];

export type ResourceRequest = FastifyRequest<{
  Params: Readonly<Record<string, string>>;
  Querystring: Query;
}>;

interface RouteOptions {
  readonly summary?: string;
  /** The action and its target, if not the default action, such as `identity:update_region`, on `target`. */
  readonly access?: Access;
  readonly target?: Target;
  /** Bytes of a request's body. */
  readonly bodyLimit?: number;
  /** Of an item in the response, if not that of the resource. */
  readonly schema?: TSchema;
}

interface ItemOptions<Item> extends RouteOptions {
  readonly view?: (item: Item) => object | Promise<object>;
}

interface ListOptions<Item, Field extends string> extends RouteOptions {
  /** Columns that the list may be filtered by. */
  readonly filters?: readonly Field[];
  /** The schema of the query; filters and page parameters, if left out. */
  readonly query?: TSchema;
  readonly read: (query: ListQuery<Field>, request: ResourceRequest) => Promise<readonly Item[]>;
  readonly view?: (item: Item) => object;
  readonly cached?: (request: ResourceRequest, ...list: Parameters<CachedList>) => ReturnType<CachedList>;
}

interface WriteOptions<Item, Body extends TSchema> extends ItemOptions<Item> {
  /** Of the whole body: `{ region: ... }`. */
  readonly body: Body;
}

/** The member of a body that holds the item. */
type Draft<Body extends TSchema, Name extends string> = Name extends keyof Static<Body>
  ? Static<Body>[Name]
  : never;

interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly action: string;
  readonly summary: string;
  readonly relation?: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Statuses of responses with a body. */
  readonly response?: Readonly<Record<number, TSchema>>;
  readonly handler: (request: ResourceRequest, reply: FastifyReply) => Promise<unknown>;
}

/** The routes of a resource; each call adds one. */
export function createResource<
  Item extends { readonly id: string },
  Schema extends TSchema,
  Name extends string,
>(server: HttpServer, { links, listLimit }: ResourceDeps, facts: ResourceFacts<Item, Schema, Name>) {
  const { path, name, relation = name, schema } = facts;
  const plural = `${name}s`;
  const noun = `${/^[aeio]/.test(name) ? "an" : "a"} ${spaced(name)}`;
  const tags = [facts.tag ?? spaced(plural)];
  const itemPath = `${path}/:${facts.id}`;
  const ofOne = bodyOf(name, schema);

  function add(url: string, route: Route, { access, target, summary, bodyLimit }: RouteOptions): void {
    const { method, query, body, response } = route;
    const action = route.action as Extract<Access, string>;
    const parameters = Array.from(url.matchAll(/:(\w+)/g), ([, parameter = ""]) => parameter);
    const home = route.relation === undefined ? undefined : homeOf(facts, route.relation, parameters);
    // The types of schemas are checked where the options are given.
    (server as unknown as FastifyInstance).route({
      method,
      url,
      ...(bodyLimit !== undefined && { bodyLimit }),
      config: {
        access: access ?? (target === undefined ? action : ({ action, target } as Access)),
        ...(home && { home }),
      },
      schema: {
        tags,
        summary: summary ?? route.summary,
        ...(parameters.length > 0 && { params: pathOf(...parameters) }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        ...(response && { response }),
      },
      handler: route.handler as never,
    });
  }

  const idIn = ({ params }: ResourceRequest) => params[facts.id] ?? "";
  const draftIn = ({ body }: FastifyRequest) => (body as Readonly<Record<string, unknown>>)[name] as never;
  const schemaOf = (options: RouteOptions) =>
    options.schema === undefined ? ofOne : bodyOf(name, options.schema);
  const show = async (item: Item, { view = facts.view }: ItemOptions<Item>) => ({
    [name]: await view(item),
  });

  return {
    list<Field extends string = never>(options: ListOptions<Item, Field>): void {
      const { filters = [], read, cached } = options;
      const view: (item: Item) => object = options.view ?? facts.view;
      const route: Route = {
        method: "GET",
        action: `identity:list_${plural}`,
        summary: `Lists ${spaced(plural)}`,
        relation: `${relation}s`,
        query: options.query ?? queryOf<string>(...filters, ...PAGE_PARAMETERS),
        response: { 200: listOf(plural, options.schema ?? schema) },
        async handler(request, reply) {
          const { query, url } = request;
          const readPart = async (page: Page) => {
            const items = await read({ filters: readFilters(query, filters), page }, request);
            return items.map((item) => view(item) as { readonly id: string });
          };
          return sendPages(reply, plural, readPart, {
            page: readPage(query, { listLimit }),
            links,
            url,
            ...(cached && { cached: (make) => cached(request, make) }),
          });
        },
      };
      add(path, route, options);
    },

    create<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly create: (draft: Draft<Body, Name>, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const route: Route = {
        method: "POST",
        action: `identity:create_${name}`,
        summary: `Creates ${noun}`,
        body: options.body,
        response: { 201: schemaOf(options) },
        handler: async (request, reply) =>
          reply.code(201).send(await show(await options.create(draftIn(request), request), options)),
      };
      add(path, route, options);
    },

    show(
      options: ItemOptions<Item> & {
        readonly read: (id: string, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const route: Route = {
        method: "GET",
        action: `identity:get_${name}`,
        summary: `Shows ${noun}`,
        relation,
        response: { 200: schemaOf(options) },
        handler: async (request) => show(await options.read(idIn(request), request), options),
      };
      add(itemPath, route, options);
    },

    /** Creates an item of a chosen id; replaces one that exists, where the place of the resource says so. */
    put<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly put: (
          id: string,
          draft: Draft<Body, Name>,
          request: ResourceRequest,
        ) => Promise<{ readonly item: Item; readonly isNew: boolean }>;
      },
    ): void {
      const response = schemaOf(options);
      const route: Route = {
        method: "PUT",
        action: `identity:create_${name}`,
        summary: `Creates ${facts.place?.putReplaces ? "or replaces " : ""}${noun}`,
        body: options.body,
        response: { 200: response, 201: response },
        async handler(request, reply) {
          const { item, isNew } = await options.put(idIn(request), draftIn(request), request);
          return reply.code(isNew ? 201 : 200).send(await show(item, options));
        },
      };
      add(itemPath, route, options);
    },

    update<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly update: (id: string, change: Draft<Body, Name>, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const route: Route = {
        method: "PATCH",
        action: `identity:update_${name}`,
        summary: `Changes ${noun}`,
        body: options.body,
        response: { 200: schemaOf(options) },
        handler: async (request) =>
          show(await options.update(idIn(request), draftIn(request), request), options),
      };
      add(itemPath, route, options);
    },

    delete(
      options: RouteOptions & { readonly delete: (id: string, request: ResourceRequest) => Promise<void> },
    ): void {
      const route: Route = {
        method: "DELETE",
        action: `identity:delete_${name}`,
        summary: `Deletes ${noun}`,
        handler: async (request, reply) => noContent(reply, options.delete(idIn(request), request)),
      };
      add(itemPath, route, options);
    },
  };
}

/** Sends a response without a body, when the work is done. */
export async function noContent(
  reply: { code(status: 204): { send(): unknown } },
  work: Promise<unknown>,
): Promise<unknown> {
  await work;
  return reply.code(204).send();
}

function homeOf(
  { place, homeStatus: status }: Pick<ResourceFacts<never, never, never>, "place" | "homeStatus">,
  relation: string,
  parameters: readonly string[],
): readonly HomeRelation[] {
  if (place !== undefined) return homeIn(place, relation, ...parameters);
  return [{ relation: coreRelation(relation), ...(status !== undefined && { status }) }];
}

/** `identity_provider` as prose has it. */
function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
