/** Resources of the API: adds the usual routes of a collection and its items, from the facts in which resources differ. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";

import type { ListQuery } from "../database/list-query.js";
import type { HttpServer } from "./http-server.js";
import type { Links } from "./links.js";
import { readFilters } from "./lists/list-filters.js";
import { sendPages, type CachedList } from "./lists/long-list.js";
import { readPage, type Page } from "./lists/paging.js";
import {
  addRoute,
  noContent,
  pluralOf,
  type ResourceRequest,
  type RouteFacts,
  type RouteOptions,
} from "./resource-route.js";
import { bodyOf, listOf, PAGE_PARAMETERS, queryOf } from "./validation/schema-parts.js";

export interface ResourceDeps {
  readonly links: Links;
  /** Items of a list whose request names no limit; all of them, if `undefined`. */
  readonly listLimit: number | undefined;
}

/** What a resource is called, its path, and its view. */
export interface ResourceFacts<Item, Schema extends TSchema, Name extends string> extends Omit<
  RouteFacts,
  "name"
> {
  /** The member of bodies that holds an item, and the noun of actions: `region`. */
  readonly name: Name;
  /** Of the collection: `/v3/regions`. */
  readonly path: string;
  /** The path parameter of an item: `region_id`. */
  readonly id: string;
  /** Documents an item's view. */
  readonly schema: Schema;
  readonly view: (item: Item) => Static<Schema>;
}

interface ItemOptions<Item> extends RouteOptions {
  /** The view and its schema, if not those of the resource. */
  readonly view?: (item: Item) => object | Promise<object>;
  readonly schema?: TSchema;
}

interface ListOptions<Item, Field extends string> extends RouteOptions {
  /** Columns that the list may be filtered by. */
  readonly filters?: readonly Field[];
  /** The schema of the query; filters and page parameters, if left out. */
  readonly query?: TSchema;
  readonly read: (query: ListQuery<Field>, request: ResourceRequest) => Promise<readonly Item[]>;
  readonly view?: (item: Item) => object;
  readonly schema?: TSchema;
  readonly cached?: (request: ResourceRequest, ...list: Parameters<CachedList>) => ReturnType<CachedList>;
}

interface WriteOptions<Item, Body extends TSchema> extends ItemOptions<Item> {
  /** The schema of the whole body: `{ region: ... }`. */
  readonly body: Body;
}

/** The member of a body that holds the item. */
type Draft<Body extends TSchema, Name extends string> = Name extends keyof Static<Body>
  ? Static<Body>[Name]
  : never;

/** The routes of a resource; each call adds one. */
export function createResource<
  Item extends { readonly id: string },
  Schema extends TSchema,
  Name extends string,
>(server: HttpServer, { links, listLimit }: ResourceDeps, facts: ResourceFacts<Item, Schema, Name>) {
  const { path, name, schema } = facts;
  const plural = pluralOf(facts);
  const itemPath = `${path}/:${facts.id}`;
  const add = addRoute.bind(undefined, server, facts);

  const idIn = ({ params }: ResourceRequest) => params[facts.id] ?? "";
  const draftIn = ({ body }: FastifyRequest) => (body as Readonly<Record<string, unknown>>)[name] as never;
  const responseOf = (options: ItemOptions<Item>) => bodyOf(name, options.schema ?? schema);
  const show = async (item: Item, { view = facts.view }: ItemOptions<Item>) => ({ [name]: await view(item) });

  return {
    list<Field extends string = never>(options: ListOptions<Item, Field>): void {
      const { filters = [], read, cached } = options;
      const view: (item: Item) => object = options.view ?? facts.view;
      async function handler(request: ResourceRequest, reply: FastifyReply) {
        const { query, url } = request;
        const page = readPage(query, { listLimit });
        const readPart = async (part: Page) => {
          const items = await read({ filters: readFilters(query, filters), page: part }, request);
          return items.map((item) => view(item) as { readonly id: string });
        };
        const cache = cached && ((make: Parameters<CachedList>[0]) => cached(request, make));
        return sendPages(reply, plural, readPart, { page, links, url, cached: cache });
      }
      const query = options.query ?? queryOf<string>(...filters, ...PAGE_PARAMETERS);
      const response = { 200: listOf(plural, options.schema ?? schema) };
      add({ verb: "list", method: "GET", url: path, query, response, handler }, options);
    },

    create<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly create: (draft: Draft<Body, Name>, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const { body, create } = options;
      const handler = async (request: ResourceRequest, reply: FastifyReply) =>
        reply.code(201).send(await show(await create(draftIn(request), request), options));
      const response = { 201: responseOf(options) };
      add({ verb: "create", method: "POST", url: path, body, response, handler }, options);
    },

    show(
      options: ItemOptions<Item> & {
        readonly read: (id: string, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const handler = async (request: ResourceRequest) =>
        show(await options.read(idIn(request), request), options);
      const response = { 200: responseOf(options) };
      add({ verb: "get", method: "GET", url: itemPath, response, handler }, options);
    },

    /** Creates an item of a chosen id, or replaces it where the place of the resource says so. */
    put<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly put: (
          id: string,
          draft: Draft<Body, Name>,
          request: ResourceRequest,
        ) => Promise<{ readonly item: Item; readonly isNew: boolean }>;
      },
    ): void {
      const { body, put } = options;
      async function handler(request: ResourceRequest, reply: FastifyReply) {
        const { item, isNew } = await put(idIn(request), draftIn(request), request);
        return reply.code(isNew ? 201 : 200).send(await show(item, options));
      }
      const response = { 200: responseOf(options), 201: responseOf(options) };
      add({ verb: "create", method: "PUT", url: itemPath, body, response, handler }, options);
    },

    update<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly update: (id: string, change: Draft<Body, Name>, request: ResourceRequest) => Promise<Item>;
      },
    ): void {
      const { body, update } = options;
      const handler = async (request: ResourceRequest) =>
        show(await update(idIn(request), draftIn(request), request), options);
      const response = { 200: responseOf(options) };
      add({ verb: "update", method: "PATCH", url: itemPath, body, response, handler }, options);
    },

    delete(
      options: RouteOptions & { readonly delete: (id: string, request: ResourceRequest) => Promise<void> },
    ): void {
      const handler = async (request: ResourceRequest, reply: FastifyReply) =>
        noContent(reply, options.delete(idIn(request), request));
      add({ verb: "delete", method: "DELETE", url: itemPath, handler }, options);
    },
  };
}
