/** The rules for service providers. */
import type { Platform } from "../area.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { WHOLE_LIST, type PutResult } from "../platform/database/table.js";
import { isHeaderText } from "../platform/http/header-values.js";
import { SchemaError } from "../platform/http/validation/validation.js";
import { checkChosenId, checkTextLength } from "../platform/text/text-length.js";
import {
  ServiceProviderExistsError,
  listServiceProviders,
  serviceProviderFields,
  serviceProviderTable,
  type ServiceProviderChange,
  type ServiceProviderDraft,
  type ServiceProvider,
  type ServiceProviderQuery,
  RELAY_STATE_PREFIX,
} from "./service-provider.js";

/** A service provider as tokens show it. */
export interface TokenServiceProvider {
  readonly id: string;
  readonly auth_url: string;
  readonly sp_url: string;
}

export type ServiceProviderService = ReturnType<typeof createServiceProviderService>;

export function createServiceProviderService({ database }: Pick<Platform, "database">) {
  const cache = createRevisionCache<readonly TokenServiceProvider[]>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  async function readEnabled(): Promise<readonly TokenServiceProvider[]> {
    const enabled = await listServiceProviders(database, { ...WHOLE_LIST, enabled: [true] });
    return enabled.map(({ id, authUrl, spUrl }) => ({ id, auth_url: authUrl, sp_url: spUrl }));
  }

  return {
    list: (query: ServiceProviderQuery): Promise<ServiceProvider[]> =>
      listServiceProviders(database.forLists, query),

    /** The enabled providers, which each token shows. */
    listEnabled: () => cache.get("enabled", () => readEnabled()),

    get: (id: string): Promise<ServiceProvider> => serviceProviderTable.require(database, id),

    /** @param options.replaces Whether an existing provider is replaced. */
    async put(
      id: string,
      draft: ServiceProviderDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<PutResult<ServiceProvider>> {
      checkChosenId(id);
      checkAttributes(draft);
      const provider: ServiceProvider = { id, ...DEFAULTS, ...serviceProviderFields.item(draft) };
      const existing = () => new ServiceProviderExistsError(id);
      return database.transaction((transaction) =>
        serviceProviderTable.put(transaction, provider, { replaces, existing }),
      );
    },

    update: async (id: string, change: ServiceProviderChange): Promise<ServiceProvider> => {
      checkAttributes(change);
      return database.transaction(async (transaction) => {
        const former = await serviceProviderTable.require(transaction, id);
        const provider: ServiceProvider = { ...former, ...serviceProviderFields.item(change) };
        await serviceProviderTable.update(transaction, provider);
        return provider;
      });
    },

    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => serviceProviderTable.delete(transaction, id)),
  };
}

const DEFAULTS = { description: null, enabled: false, relayStatePrefix: RELAY_STATE_PREFIX };

/** Checks whose messages in Keystone no schema gives. */
function checkAttributes({ auth_url, sp_url, relay_state_prefix = "" }: ServiceProviderChange): void {
  for (const [field, value] of Object.entries({ auth_url, sp_url })) {
    if (value === undefined) continue;
    const reason = addressFault(value);
    if (reason !== undefined) throw new SchemaError({ path: [field], value, reason });
  }
  checkTextLength(relay_state_prefix, { column: "relay_state_prefix", length: 256 });
}

function addressFault(address: string): string | undefined {
  if (!/^https?:/i.test(address)) return "An address begins with http: or https:";
  if (!isHeaderText(address))
    return "An address has no control characters, and none beyond ASCII: a host is written in Punycode, the rest percent-encoded";
  return undefined;
}
