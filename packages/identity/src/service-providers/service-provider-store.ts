/** Service providers in the database. */
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { tableOf } from "../platform/database/table.js";
import { ServiceProviderNotFoundError } from "./service-provider-errors.js";

/** Another cloud that accepts assertions of this one. */
export interface ServiceProvider {
  readonly id: string;
  /** Where users log in there. */
  readonly authUrl: string;
  /** Where assertions are sent. */
  readonly spUrl: string;
  readonly description: string | null;
  readonly enabled: boolean;
  /** Begins the relay state of an assertion. */
  readonly relayStatePrefix: string;
}

export const serviceProviderTable = tableOf<ServiceProvider>()(
  "service_provider",
  {
    id: "id",
    authUrl: "auth_url",
    spUrl: "sp_url",
    description: "description",
    enabled: "enabled",
    relayStatePrefix: "relay_state_prefix",
  },
  ServiceProviderNotFoundError,
);

export interface ServiceProviderQuery extends ListQuery<"id"> {
  /** Values that `enabled` has to have, all of them. */
  readonly enabled: readonly boolean[];
}

export function listServiceProviders(
  queries: Queries,
  { enabled, ...query }: ServiceProviderQuery,
): Promise<ServiceProvider[]> {
  return serviceProviderTable.list(queries, query, (every) =>
    enabled.reduce((providers, value) => providers.where("enabled", "=", value), every),
  );
}
