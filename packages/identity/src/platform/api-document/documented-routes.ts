/** The routes that say what they are for: those with a summary in their schema. */
import type { FastifyInstance, FastifySchema } from "fastify";

/** A route as the API's document shows it. */
export interface DocumentedRoute {
  /** In lower case. */
  readonly method: string;
  /** With parameters as `:name`. */
  readonly url: string;
  /** The action that the caller must be allowed; `undefined` where nobody has to say who they are. */
  readonly action: string | undefined;
  readonly schema: RouteSchema;
}

/** What the document shows of a route's schema. */
export type RouteSchema = FastifySchema & {
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
};

/** Notes the routes of the server from now on. HEAD is not listed beside GET: it is everywhere. */
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

/** Permissions are no business of this folder: what routes say of them is read as far as it is shown. */
function actionOf(config: unknown): string | undefined {
  const { access } = (config ?? {}) as { readonly access?: string | { readonly action: string } };
  const action = typeof access === "object" ? access.action : access;
  return action === "public" ? undefined : action;
}
