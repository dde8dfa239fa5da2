/** What limits refer to: services, regions, domains and the registered limits. */
import { api, ask, type paths } from "../../api/client.ts";

export type RegisteredLimit =
  paths["/v3/registered_limits"]["get"]["responses"][200]["content"]["application/json"]["registered_limits"][number];

/** The tree of a domain for one resource. */
export type Tree = paths["/v3/limits/tree"]["get"]["responses"][200]["content"]["application/json"]["tree"];

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface LimitCatalog {
  readonly registered: readonly RegisteredLimit[];
  /** Names of services, by id. */
  readonly services: ReadonlyMap<string, string>;
  readonly regions: readonly string[];
  /** Those that the caller may list. */
  readonly domains: readonly Named[];
}

export async function loadCatalog(): Promise<LimitCatalog> {
  const [registered, services, regions, domains] = await Promise.all([
    ask(api.GET("/v3/registered_limits")),
    ask(api.GET("/v3/services")).catch(() => ({ services: [] })),
    ask(api.GET("/v3/regions")).catch(() => ({ regions: [] })),
    ask(api.GET("/v3/domains")).catch(() => ({ domains: [] })),
  ]);
  return {
    registered: [...registered.registered_limits].sort((one, other) =>
      one.resource_name.localeCompare(other.resource_name),
    ),
    services: new Map(services.services.map(({ id, ...service }) => [id, nameOf(service, id)])),
    regions: regions.regions.map(({ id }) => id),
    domains: domains.domains
      .map(({ id, name }) => ({ id, name }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

function nameOf(service: object, id: string): string {
  const { name, type } = service as { readonly name?: unknown; readonly type?: unknown };
  if (typeof name === "string" && name !== "") return name;
  return typeof type === "string" ? type : id;
}

/** Such as `nova · cores`, with the region where it has one. */
export function resourceName(
  catalog: LimitCatalog,
  limit: Pick<RegisteredLimit, "service_id" | "region_id" | "resource_name">,
): string {
  const service = catalog.services.get(limit.service_id) ?? limit.service_id.slice(0, 8);
  return `${service} · ${limit.resource_name}${limit.region_id === null ? "" : ` · ${limit.region_id}`}`;
}
