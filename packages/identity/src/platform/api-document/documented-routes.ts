/** Collects documented routes: those with a summary in their schema. */
import type { FastifyInstance, FastifySchema } from "fastify";

export interface DocumentedRoute {
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
