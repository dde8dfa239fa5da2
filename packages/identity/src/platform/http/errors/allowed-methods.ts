/** The methods of a path, for the `Allow` header of requests without a route. */
import type { FastifyInstance } from "fastify";

/** @returns The methods of the routes that match a path without its query; none for an unknown path. */
export type AllowedMethods = (path: string) => readonly string[];

/** Watches the routes that are added from now on. */
export function watchMethods(server: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  server.addHook("onRoute", ({ url, method }) => {
    const { methods } = routes.get(url) ?? addRoute(url);
    for (const name of [method].flat()) methods.add(name);
  });

  function addRoute(url: string) {
    const route = { pattern: patternOf(url), methods: new Set<string>() };
    routes.set(url, route);
    return route;
  }

  return (path) => {
    const found = new Set<string>();
    for (const { pattern, methods } of routes.values()) {
      if (pattern.test(path)) for (const name of methods) found.add(name);
    }
    return found.size === 0 ? [] : [...found, "OPTIONS"].toSorted();
  };
}

/** `/v3/regions/:region_id` matches `/v3/regions/one` and `/v3/regions/one/`. */
function patternOf(url: string): RegExp {
  const path = url.replace(/\/$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
}
