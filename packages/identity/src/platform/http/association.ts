/** Associations of resources: adds the routes that check, create and remove one, and lists of what is associated. */
import type { TSchema } from "typebox";

import type { HomeRelation } from "../discovery/json-home.js";
import type { HttpServer } from "./http-server.js";
import { sendPages } from "./lists/long-list.js";
import { readPage, type Page } from "./lists/paging.js";
import type { ResourceDeps } from "./resource.js";
import { addRoute, noContent, type ResourceRequest, type RouteOptions } from "./resource-route.js";
import { listOf, PAGE_PARAMETERS, queryOf } from "./validation/schema-parts.js";

type NamesIn<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a path. */
export type PathParameters<Url extends string> = Readonly<Record<NamesIn<Url>, string>>;

type Access = Extract<NonNullable<RouteOptions["access"]>, string>;

interface AssociationFacts<Url extends string> {
  readonly url: Url;
  /** The section of the API document. */
  readonly tag: string;
  /** What a summary says after its verb: `that an endpoint is in a project`. */
  readonly summaries: Readonly<Record<"check" | "add" | "remove", string>>;
  readonly access: Readonly<Record<"check" | "add" | "remove", Access>>;
  readonly home: readonly HomeRelation[];
}

interface Association<Url extends string> {
  check(key: PathParameters<Url>): Promise<unknown>;
  add(key: PathParameters<Url>): Promise<unknown>;
  remove(key: PathParameters<Url>): Promise<unknown>;
}

/** GET, PUT and DELETE of an association, which has no body; each throws if the association, or a part of it, does not exist. */
export function addAssociationRoutes<Url extends string>(
  server: HttpServer,
  { url, tag, summaries, access, home }: AssociationFacts<Url>,
  association: Association<Url>,
): void {
  const routes = [
    ["GET", "get", "check"],
    ["PUT", "create", "add"],
    ["DELETE", "delete", "remove"],
  ] as const;
  for (const [method, verb, step] of routes)
    addRoute(
      server,
      { name: tag, tag },
      {
        verb,
        method,
        url,
        handler: ({ params }, reply) => noContent(reply, association[step](params)),
      },
      { summary: summaries[step], access: access[step], home },
    );
}

interface AssociatedFacts<Url extends string, Item, Schema extends TSchema> {
  readonly url: Url;
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  readonly home: readonly HomeRelation[];
  /** The member of the response. */
  readonly key: string;
  readonly schema: Schema;
  readonly view: (item: Item) => { readonly id: string };
  /** Reads a page in the order of the ids, and one more item if there is another page. */
  readonly read: (key: PathParameters<Url>, page: Page) => Promise<readonly Item[]>;
}

/** GET of the resources that are associated with another. */
export function addAssociatedList<Url extends string, Item, Schema extends TSchema>(
  server: HttpServer,
  { links, listLimit }: ResourceDeps,
  facts: AssociatedFacts<Url, Item, Schema>,
): void {
  const { url, tag, summary, access, home, key, schema, view, read } = facts;
  addRoute(
    server,
    { name: key, tag },
    {
      verb: "list",
      method: "GET",
      url,
      query: queryOf(...PAGE_PARAMETERS),
      response: { 200: listOf(key, schema) },
      handler: (request: ResourceRequest, reply) => {
        const page = readPage(request.query, { listLimit });
        const readPart = async (part: Page) =>
          (await read(request.params as PathParameters<Url>, part)).map(view);
        return sendPages(reply, key, readPart, { page, links, url: request.url });
      },
    },
    { summary, access, home },
  );
}
