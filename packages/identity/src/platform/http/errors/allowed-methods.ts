/** Which methods an address answers, for `Allow`: asked only when a request has found no route. */
import type { FastifyInstance } from "fastify";

/** @returns The methods of the routes that match a path, without query; none where nothing is. */
export type AllowedMethods = (path: string) => readonly string[];

/** Notes the routes of the server from now on. */
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
