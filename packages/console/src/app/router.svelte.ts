/** The address of the page: paths under /console, and their query, in which a page keeps its filters and its open panel. */
import navaid from "navaid";
import type { Component } from "svelte";

import { CONSOLE_PATH } from "../api/base.ts";
import { mayLeavePage } from "./unsaved.ts";

export interface Route {
  /** Under /console; parameters as `:id`, optional ones as `:id?`. */
  readonly path: string;
  /** Of the document, and of the link in the rail. */
  readonly title: string;
  /** Loads the page when it is opened. */
  readonly page: () => Promise<{ readonly default: Component }>;
  /** The page of the rail that it belongs to, where its path does not say so: `/providers`. */
  readonly within?: string;
  /** Where the rail lists the page; pages without one are reached through others. */
  readonly rail?: RailEntry;
}

export interface RailEntry {
  readonly icon:
    | "overview"
    | "providers"
    | "mappings"
    | "failed-logins"
    | "domains"
    | "users"
    | "groups"
    | "projects"
    | "roles"
    | "limits"
    | "catalog"
    | "audit"
    | "policy";
  /** The policy action without which the rail doesn't list the page, such as `identity:list_users`. */
  readonly needs?: string;
  /** The second key after `g` that opens the page. */
  readonly key: string;
}

interface Place {
  /** `undefined` for an address that no page has. */
  readonly route: Route | undefined;
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Where a provider sends the tab that has logged in for a page in another tab, and the channel that tells the latter. */
export const SIGNED_IN_PATH = "/signed-in";

let place = $state.raw<Place>({ route: undefined, params: {} });
let shownParams = $state.raw<Place["params"]>({});
let search = $state.raw(new URLSearchParams());
let path = $state("/");

export const router = {
  get route(): Route | undefined {
    return place.route;
  },
  /** The parameters in the address. */
  get nextParams(): Place["params"] {
    return place.params;
  },
  /** The parameters of the page that is shown, which stays until the page of the address has been loaded. */
  get params(): Place["params"] {
    return shownParams;
  },
  /** The query. Pages read their filters from it, and write them by `setSearch`. */
  get search(): URLSearchParams {
    return search;
  },
  /** The path under /console: `/users`. */
  get path(): string {
    return path;
  },
};

const navigation = navaid(CONSOLE_PATH, () => arrive(undefined, {}));
function arrive(route: Route | undefined, params: Record<string, string>): void {
  // The same page with other filters keeps its parameters' identity: nothing depends on them anew.
  if (route !== place.route || JSON.stringify(params) !== JSON.stringify(place.params))
    place = { route, params };
  if (location.search !== queryText(search)) search = new URLSearchParams(location.search);
  path = pathOf(location.pathname);
}

function pathOf(pathname: string): string {
  return navigation.format(pathname) || "/";
}

function mayGoTo(pathname: string): boolean {
  return pathOf(pathname) === path || mayLeavePage();
}

/** Asks before another page takes the place of one with unsaved changes. Ahead of `listen`: navaid follows `pushState`, too. */
function guardLeaving(): void {
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    if (mayGoTo(new URL(url ?? "", location.href).pathname)) push(state, unused, url);
  };
  addEventListener("popstate", (event) => {
    if (mayGoTo(location.pathname)) return;
    // The browser has gone back already: the page that stays gets its address again.
    event.stopImmediatePropagation();
    push(null, "", hrefWith({}));
  });
}

/** Reads the address, and follows links and the browser's buttons from then on. The first route that matches counts. */
export function startRouter(routes: readonly Route[]): void {
  for (const route of routes)
    navigation.on(route.path, (params = {}) =>
      arrive(
        route,
        Object.fromEntries(
          Object.entries(params).flatMap(([key, value]) => (value ? [[key, decode(value)]] : [])),
        ),
      ),
    );
  guardLeaving();
  navigation.listen();
}

/** Gives pages the parameters in the address: its page is shown from now on. */
export function showParams(): void {
  shownParams = place.params;
}

type SearchValues = Readonly<Record<string, string | number | undefined>>;

/** The address of a page for links: `href("/users", { open: id })`. Values that are `undefined` or empty are left out. */
export function href(to: string, values: SearchValues = {}): string {
  return CONSOLE_PATH + (to === "/" ? "/" : to) + queryText(withValues(new URLSearchParams(), values));
}

/** Goes to a page. */
export function go(to: string, values: SearchValues = {}): void {
  navigation.route(href(to, values));
}

/** The address of this page with some values of the query changed. */
export function hrefWith(values: SearchValues): string {
  return CONSOLE_PATH + path + queryText(withValues(new URLSearchParams(search), values));
}

/** Changes some values of the query. @param options.replace Without a step back: for what is typed. */
export function setSearch(values: SearchValues, { replace = false } = {}): void {
  navigation.route(hrefWith(values), replace);
}

function withValues(query: URLSearchParams, values: SearchValues): URLSearchParams {
  for (const [key, value] of Object.entries(values))
    if (value === undefined || value === "") query.delete(key);
    else query.set(key, String(value));
  return query;
}

function queryText(query: URLSearchParams): string {
  return query.size === 0 ? "" : `?${query}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
