/**
 * The home document: resources and their paths, for clients that discover them. Routes declare their names by
 * `config: { home: [...] }`.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-nottingham-json-home-03
 */
import type { FastifyInstance } from "fastify";

const BASE = "https://docs.openstack.org/api/openstack-identity/3";

/** A name of a route. */
export interface HomeRelation {
  /** From {@link coreRelation} or {@link extensionRelation}. */
  readonly relation: string;
  /** Parameters of the path; others are core parameters of the same name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Left out for stable resources. */
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

/** The path of a resource. */
export interface HomeResource {
  readonly href?: string;
  readonly "href-template"?: string;
  readonly "href-vars"?: Readonly<Record<string, string>>;
  readonly hints?: { readonly status: string };
}

/** Watches the routes that are added from now on. The result returns those so far, with paths below `/v3`. */
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

/** The document. @param prefix Of all paths: `/v3` for the document at the root. */
export function homeDocument(resources: ReadonlyMap<string, HomeResource>, prefix: "" | "/v3"): object {
  const entries = Array.from(resources, ([relation, { href, "href-template": template, ...rest }]) => [
    relation,
    template === undefined
      ? { href: prefix + (href ?? ""), ...rest }
      : { "href-template": prefix + template, ...rest },
  ]);
  return { resources: Object.fromEntries(entries) as Record<string, HomeResource> };
}
