/** Resources of the API: adds the usual routes of a collection and its items, from the facts in which resources differ. */
import type { FastifyReply } from "fastify";
import { Type, type Static, type TObject, type TSchema } from "typebox";

import type { ListQuery, PutResult } from "../database/table.js";
import { coreRelation } from "../discovery/json-home.js";
import { homeIn, type ExtensionPrefix } from "./extension-prefix.js";
import type { HttpServer } from "./http-server.js";
import type { Links } from "./links.js";
import { readFilters } from "./lists/list-filters.js";
import { ORDER_PARAMETERS, readOrder, readSearch, wantsDetails } from "./lists/list-order.js";
import { sendPages, type CachedList } from "./lists/long-list.js";
import { membersChanged, itemOf } from "./noted-change.js";
import { MarkerNotFoundError, readPage, type ListResponse, type Page } from "./lists/paging.js";
import { addRoute, parametersOf, type RouteAccess, type Route, type RouteRequest } from "./route.js";
import { bodyOf, listOf, PAGE_PARAMETERS, queryOf } from "./validation/schema-parts.js";

/** Reads an item of a collection by its id, as the API shows it. @throws {NotFoundError} */
export type ReadItem = (id: string, request: RouteRequest) => Promise<object>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of a route that shows an item. */
    readonly item?: { readonly collection: string; readonly read: ReadItem };
  }
}

export interface ResourceDeps {
  readonly links: Links;
  /** Items of a list whose request names no limit; all of them, if `undefined`. */
  readonly defaultPageSize: number | undefined;
}

/** What a resource is called, its path, and its view. */
export interface ResourceDeclaration<Item, Schema extends TSchema, Name extends string> {
  /** The member of bodies that holds an item, and the noun of actions: `region`. */
  readonly name: Name;
  /** If not `name` with an s. */
  readonly plural?: string;
  /** Of the collection: `/v3/regions`. */
  readonly path: string;
  /** The path parameter of an item: `region_id`. */
  readonly id: string;
  /** Documents an item's view. */
  readonly schema: Schema;
  readonly view: (item: Item) => Static<Schema>;
  /** The name in the home document, if not `name`. */
  readonly relation?: string;
  readonly homeStatus?: "experimental" | "deprecated";
  /** The extension that the resource belongs to; core, if left out. */
  readonly place?: ExtensionPrefix;
  /** The section of the API document; the plural of `name`, if left out. */
  readonly tag?: string;
}

interface ItemOptions<Item> {
  readonly summary?: string;
  /** The action and its target, if not the default action, such as `identity:update_region`, on `target`. */
  readonly access?: RouteAccess;
  readonly target?: Extract<RouteAccess, { target: unknown }>["target"];
  /** Bytes of a request's body. */
  readonly bodyLimit?: number;
  /** The schema of the query. */
  readonly query?: TSchema;
  /** The view and its schema, if not those of the resource. */
  readonly view?: (item: Item, request: RouteRequest) => object | Promise<object>;
  readonly schema?: TSchema;
}

interface ListOptions<Item, Field extends string> extends ItemOptions<Item> {
  /** Columns that the list may be filtered by. Without `query`, they are its schema, with the page parameters. */
  readonly filters?: readonly Field[];
  /** Columns that the list may be sorted by; it can be searched, too. */
  readonly sortKeys?: readonly string[];
  readonly read: (query: ListQuery<Field>, request: RouteRequest) => Promise<readonly Item[]>;
  /** How many items the list has, for `details`; `undefined` if that is not known. */
  readonly count?: ListHandlerOptions<RouteRequest, Field, object>["count"];
  /** Further members of these items, by their ids, for `details`. */
  readonly details?: (items: readonly Item[]) => Promise<ReadonlyMap<string, object>>;
  readonly view?: (item: Item) => object;
  readonly cached?: ListHandlerOptions<RouteRequest, Field, object>["cached"];
  readonly pageSize?: ListHandlerOptions<RouteRequest, Field, object>["pageSize"];
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
>(server: HttpServer, deps: ResourceDeps, facts: ResourceDeclaration<Item, Schema, Name>) {
  const { path, name, plural = `${name}s`, schema } = facts;
  const itemPath = `${path}/:${facts.id}`;

  const idIn = ({ params }: RouteRequest) => params[facts.id] ?? "";
  const viewOf = (item: Item) => facts.view(item) as object;
  const draftIn = ({ body }: RouteRequest) => (body as Readonly<Record<string, unknown>>)[name] as never;
  const responseOf = (options: ItemOptions<Item>) => bodyOf(name, options.schema ?? schema);
  const show = async (item: Item, request: RouteRequest, { view = facts.view }: ItemOptions<Item>) => ({
    [name]: await view(item, request),
  });

  function add(
    verb: keyof typeof SUMMARIES,
    route: Omit<Route, "access" | "tag" | "summary">,
    options: ItemOptions<never>,
    noun = name as string,
  ): void {
    const { access, target, bodyLimit } = options;
    const action = `identity:${verb}_${noun}` as Extract<RouteAccess, string>;
    addRoute(server, {
      bodyLimit,
      query: options.query,
      ...route,
      access: access ?? (target === undefined ? action : ({ action, target } as RouteAccess)),
      home: route.method === "GET" ? homeOf(facts, verb === "list", route.path) : undefined,
      tag: facts.tag ?? spaced(plural),
      summary: options.summary ?? summaryOf(facts, verb, route.method),
    });
  }

  /** Reads an item, by the route that shows it: audit records have names and former values by it. */
  let reader: ((id: string, request: RouteRequest) => Promise<Item>) | undefined;
  /** Items that rules of policy files have asked for: their requests don't read them again. */
  const known = new WeakMap<RouteRequest, { readonly id: string; readonly item: Item }>();
  const knownItem = (request: RouteRequest): Item | undefined => {
    const found = known.get(request);
    return found?.id === idIn(request) ? found.item : undefined;
  };

  /** `undefined` where it can't be read: the change itself then says why. */
  async function stored(request: RouteRequest): Promise<Item | undefined> {
    try {
      return knownItem(request) ?? (await reader?.(idIn(request), request));
    } catch {
      return undefined;
    }
  }

  return {
    list<Field extends string = never>(options: ListOptions<Item, Field>): void {
      const { filters = [], sortKeys, read, view = facts.view, cached, count, details } = options;
      const handler = listHandler(deps, plural, {
        filters,
        sortKeys,
        pageSize: options.pageSize,
        cached,
        count,
        open: (request: RouteRequest) => async (query: ListQuery<Field>) => {
          const items = await read(query, request);
          const more = wantsDetails(request.query) ? await details?.(items) : undefined;
          return items.map((item) =>
            Object.assign(view(item) as { readonly id: string }, more?.get(item.id)),
          );
        },
      });
      const declared = options.query ?? queryOf<string>(...filters, ...PAGE_PARAMETERS);
      const query =
        sortKeys === undefined
          ? declared
          : Type.Object({
              ...(declared as TObject).properties,
              ...queryOf<string>(...ORDER_PARAMETERS).properties,
            });
      const response = { 200: listOf(plural, options.schema ?? schema) };
      add("list", { method: "GET", path, query, response, handler }, options, plural);
    },

    create<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly create: (draft: Draft<Body, Name>, request: RouteRequest) => Promise<Item>;
      },
    ): void {
      const { body, create } = options;
      async function handler(request: RouteRequest, reply: FastifyReply) {
        const item = await create(draftIn(request), request);
        request.notedChange = { item: itemOf(name, item) };
        return reply.code(201).send(await show(item, request, options));
      }
      const response = { 201: responseOf(options) };
      add("create", { method: "POST", path, body, response, handler }, options);
    },

    /** Creates several items, all or none: the body is `{ limits: [...] }`. */
    createAll<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly create: (drafts: Draft<Body, `${Name}s`>) => Promise<readonly Item[]>;
      },
    ): void {
      const { body, create } = options;
      async function handler(request: RouteRequest, reply: FastifyReply) {
        const items = await create((request.body as Readonly<Record<string, unknown>>)[plural] as never);
        return reply.code(201).send({ [plural]: items.map((item) => facts.view(item)) });
      }
      const response = { 201: bodyOf(plural, Type.Array(schema)) };
      add("create", { method: "POST", path, body, response, handler }, options, plural);
    },

    show(
      options: ItemOptions<Item> & {
        readonly read: (id: string, request: RouteRequest) => Promise<Item>;
      },
    ): void {
      reader = options.read;
      const handler = async (request: RouteRequest) =>
        show(knownItem(request) ?? (await options.read(idIn(request), request)), request, options);
      const response = { 200: responseOf(options) };
      const read: ReadItem = async (id, request) => {
        const item = await options.read(id, request);
        known.set(request, { id, item });
        return viewOf(item);
      };
      const more = { item: { collection: path, read } };
      add("get", { method: "GET", path: itemPath, response, handler, more }, options);
    },

    /** Creates an item of a chosen id, or replaces it where the place of the resource says so. */
    put<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly put: (
          id: string,
          draft: Draft<Body, Name>,
          request: RouteRequest,
        ) => Promise<PutResult<Item>>;
      },
    ): void {
      const { body, put } = options;
      async function handler(request: RouteRequest, reply: FastifyReply) {
        const { item, isNew } = await put(idIn(request), draftIn(request), request);
        return reply.code(isNew ? 201 : 200).send(await show(item, request, options));
      }
      const response = { 200: responseOf(options), 201: responseOf(options) };
      add("create", { method: "PUT", path: itemPath, body, response, handler }, options);
    },

    update<Body extends TSchema>(
      options: WriteOptions<Item, Body> & {
        readonly update: (id: string, change: Draft<Body, Name>, request: RouteRequest) => Promise<Item>;
      },
    ): void {
      const { body, update } = options;
      async function handler(request: RouteRequest) {
        const before = await stored(request);
        if (before !== undefined) request.notedChange = { item: itemOf(name, before) };
        const item = await update(idIn(request), draftIn(request), request);
        request.notedChange = {
          item: itemOf(name, item),
          changes: membersChanged(draftIn(request), {
            before: before && viewOf(before),
            after: viewOf(item),
          }),
        };
        return show(item, request, options);
      }
      const response = { 200: responseOf(options) };
      add("update", { method: "PATCH", path: itemPath, body, response, handler }, options);
    },

    delete(
      options: ItemOptions<Item> & { readonly delete: (id: string, request: RouteRequest) => Promise<void> },
    ): void {
      async function handler(request: RouteRequest, reply: FastifyReply) {
        const before = await stored(request);
        if (before !== undefined) request.notedChange = { item: itemOf(name, before) };
        await options.delete(idIn(request), request);
        return reply.code(204).send();
      }
      add("delete", { method: "DELETE", path: itemPath, handler }, options);
    },
  };
}

interface ListHandlerOptions<Request, Field extends string, View> {
  /** Columns that the list may be filtered by. */
  readonly filters?: readonly Field[];
  /** Columns that the list may be sorted by; without them it is not searched either. */
  readonly sortKeys?: readonly string[] | undefined;
  /** Checks the request. The result reads a page: views of items in the order of their ids, and one more if there is another page. */
  readonly open: (request: Request) => PageReader<Field, View> | Promise<PageReader<Field, View>>;
  readonly cached?:
    | ((request: Request, ...list: Parameters<CachedList>) => ReturnType<CachedList>)
    | undefined;
  /** How many items the list has on all pages, for requests with `details`; `undefined` if that is not known. */
  readonly count?:
    | ((query: Omit<ListQuery<Field>, "page">, request: Request) => Promise<number | undefined>)
    | undefined;
  /** The page size of this request, where it differs from that of other lists. */
  readonly pageSize?: ((request: Request) => Promise<number | undefined>) | undefined;
}

type PageReader<Field extends string, View> = (query: ListQuery<Field>) => Promise<readonly View[]>;

/** The handler of a list in pages. @param key The member of the response that holds the items. */
export function listHandler<
  Request extends Pick<RouteRequest, "url" | "query">,
  Key extends string,
  View extends { readonly id: string },
  Field extends string = never,
>(
  { links, defaultPageSize }: ResourceDeps,
  key: Key,
  { filters = [], sortKeys, open, cached, count, pageSize }: ListHandlerOptions<Request, Field, View>,
) {
  return async (request: Request, reply: FastifyReply): Promise<ListResponse<Key, View>> => {
    const { query, url } = request;
    const read = await open(request);
    const page = readPage(query, { defaultPageSize: (await pageSize?.(request)) ?? defaultPageSize });
    const conditions = readFilters(query, filters);
    const ordered = sortKeys && { order: readOrder(query, sortKeys), search: readSearch(query) };
    const isCounted = page.marker === undefined && wantsDetails(query);
    const total = isCounted ? await count?.({ filters: conditions, ...ordered }, request) : undefined;
    let { marker } = page;
    async function readPart(part: Page): Promise<readonly View[]> {
      if (marker !== undefined) await requireMarker(read, marker);
      marker = undefined;
      return read({ filters: conditions, page: part, ...ordered });
    }
    return sendPages(reply, key, readPart, {
      page,
      links,
      url,
      total,
      cached: cached && ((make) => cached(request, make)),
    });
  };
}

/** An item that the filters leave out is a marker too: it may have changed since the page before. @throws {MarkerNotFoundError} */
async function requireMarker<View extends { readonly id: string }>(
  read: PageReader<never, View>,
  marker: string,
): Promise<void> {
  const [first] = await read({ filters: [], page: { limit: 1, marker, includesMarker: true } });
  if (first?.id !== marker) throw new MarkerNotFoundError(marker);
}

type AnyDeclaration = Omit<ResourceDeclaration<never, TSchema, string>, "view">;

const SUMMARIES = { list: "Lists", create: "Creates", get: "Shows", update: "Changes", delete: "Deletes" };

/** Such as `Lists regions`, or `Creates or replaces an identity provider`. */
function summaryOf(
  { name, plural = `${name}s`, place }: AnyDeclaration,
  verb: keyof typeof SUMMARIES,
  method: Route["method"],
): string {
  if (verb === "list") return `${SUMMARIES.list} ${spaced(plural)}`;
  const replaces = method === "PUT" && place?.putReplaces === true ? " or replaces" : "";
  return `${SUMMARIES[verb]}${replaces} ${/^[aeio]/.test(name) ? "an" : "a"} ${spaced(name)}`;
}

function homeOf(
  { name, relation = name, plural = `${relation}s`, place, homeStatus: status }: AnyDeclaration,
  isList: boolean,
  path: string,
) {
  const noun = isList ? plural : relation;
  if (place !== undefined) return homeIn(place, noun, ...parametersOf(path));
  return [{ relation: coreRelation(noun), ...(status !== undefined && { status }) }];
}

/** `identity_provider` as prose has it. */
function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
