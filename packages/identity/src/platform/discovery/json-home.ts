/**
 * The home document: which resources there are and where, for clients that would rather not know addresses by heart. A route
 * that belongs in it says so by `config: { home: [...] }`.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-nottingham-json-home-03
 */
import type { FastifyInstance } from "fastify";

const BASE = "https://docs.openstack.org/api/openstack-identity/3";

/** One name under which a route is known. */
export interface HomeRelation {
  /** Made by {@link coreRelation} or {@link extensionRelation}. */
  readonly relation: string;
  /** What the parameters of the path are; those that are not named are core parameters of their own name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Left out for what is there to stay. */
  readonly status?: "experimental" | "deprecated";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The names of the route in the home document. */
    readonly home?: readonly HomeRelation[];
  }
}

/** The name of a resource, such as `regions`. */
export function coreRelation(name: string): string {
  return `${BASE}/rel/${name}`;
}

/** The name of a parameter, such as `region_id`. */
export function coreParameter(name: string): string {
  return `${BASE}/param/${name}`;
}

/** The name of a resource of an extension, such as `mappings` of `OS-FEDERATION`. */
export function extensionRelation(extension: string, name: string): string {
  return `${BASE}/ext/${extension}/1.0/rel/${name}`;
}

/** The name of a parameter of an extension. */
export function extensionParameter(extension: string, name: string): string {
  return `${BASE}/ext/${extension}/1.0/param/${name}`;
}

/** Where a resource is. */
export interface HomeResource {
  readonly href?: string;
  readonly "href-template"?: string;
  readonly "href-vars"?: Readonly<Record<string, string>>;
  readonly hints?: { readonly status: string };
}

/** Notes the routes of the server from now on; the answer has those so far, with paths below `/v3`. */
export function watchHome(server: FastifyInstance): () => ReadonlyMap<string, HomeResource> {
  const resources = new Map<string, HomeResource>();
  server.addHook("onRoute", ({ url, config }) => {
    for (const relation of config?.home ?? [])
      resources.set(relation.relation, resourceAt(url.replace(/^\/v3/, ""), relation));
  });
  return () => resources;
}

function resourceAt(path: string, { parameters = {}, status }: HomeRelation): HomeResource {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const place =
    names.length === 0
      ? { href: path }
      : {
          "href-template": path.replaceAll(/:(\w+)/g, "{$1}"),
          "href-vars": Object.fromEntries(
            names.map((name) => [name, parameters[name] ?? coreParameter(name)]),
          ),
        };
  return status === undefined ? place : { ...place, hints: { status } };
}

/** The document. `prefix` goes before each path: below `/v3` they are as they are, from the root they begin with it. */
export function homeDocument(resources: ReadonlyMap<string, HomeResource>, prefix: "" | "/v3"): object {
  const entries = Array.from(resources, ([relation, { href, "href-template": template, ...rest }]) => [
    relation,
    template === undefined
      ? { href: prefix + (href ?? ""), ...rest }
      : { "href-template": prefix + template, ...rest },
  ]);
  return { resources: Object.fromEntries(entries) as Record<string, HomeResource> };
}
