/** The rules for service providers. */
import type { Database, Queries } from "../platform/database/database.js";
import { SchemaError } from "../platform/http/validation/validation.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { isHeaderText } from "../platform/http/header-text.js";
import { checkChosenId, checkTextLength } from "../platform/text/text-length.js";
import { ServiceProviderExistsError, ServiceProviderNotFoundError } from "./service-provider-errors.js";
import type { ServiceProviderChange, ServiceProviderDraft } from "./service-provider-schema.js";
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  updateProvider,
  type ServiceProvider,
  type ServiceProviderQuery,
} from "./service-provider-store.js";

/** What the relay state begins with where nothing else is said. */
const RELAY_STATE_PREFIX = "ss:mem:";

/** A service provider as tokens show it. */
export interface TokenServiceProvider {
  readonly id: string;
  readonly auth_url: string;
  readonly sp_url: string;
}

export interface ServiceProviderServiceDeps {
  readonly database: Database;
}

export type ServiceProviderService = ReturnType<typeof createServiceProviderService>;

export function createServiceProviderService({ database }: ServiceProviderServiceDeps) {
  const remembered = createRevisionCache<readonly TokenServiceProvider[]>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  async function readEnabled(): Promise<readonly TokenServiceProvider[]> {
    const page = { limit: undefined, marker: undefined };
    const enabled = await listProviders(database, { filters: [], enabled: [true], page });
    return enabled.map(({ id, authUrl, spUrl }) => ({ id, auth_url: authUrl, sp_url: spUrl }));
  }

  return {
    list: (query: ServiceProviderQuery): Promise<ServiceProvider[]> => listProviders(database, query),

    /** Those that may be used, for each token to show. */
    listEnabled: (): Promise<readonly TokenServiceProvider[]> =>
      remembered.get("enabled", () => readEnabled()),

    get: (id: string): Promise<ServiceProvider> => requireProvider(database, id),

    /** @param options.replaces Whether one that is there already is replaced. */
    async put(
      id: string,
      draft: ServiceProviderDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<{ readonly provider: ServiceProvider; readonly isNew: boolean }> {
      checkChosenId(id);
      checkAttributes(draft);
      const provider = toProvider(id, draft);
      return database.transaction(async (transaction) => {
        const isNew = (await findProvider(transaction, id)) === undefined;
        if (!isNew && !replaces) throw new ServiceProviderExistsError(id);
        await (isNew ? insertProvider : updateProvider)(transaction, provider);
        return { provider, isNew };
      });
    },

    async update(id: string, change: ServiceProviderChange): Promise<ServiceProvider> {
      checkAttributes(change);
      return database.transaction(async (transaction) => {
        const provider = changed(await requireProvider(transaction, id), change);
        await updateProvider(transaction, provider);
        return provider;
      });
    },

    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireProvider(transaction, id);
        await deleteProvider(transaction, id);
      }),
  };
}

function toProvider(
  id: string,
  { auth_url, sp_url, description, enabled, relay_state_prefix }: ServiceProviderDraft,
): ServiceProvider {
  return {
    id,
    authUrl: auth_url,
    spUrl: sp_url,
    description: description ?? null,
    enabled: enabled ?? false,
    relayStatePrefix: relay_state_prefix ?? RELAY_STATE_PREFIX,
  };
}

function changed(
  provider: ServiceProvider,
  { auth_url, sp_url, description, enabled, relay_state_prefix }: ServiceProviderChange,
): ServiceProvider {
  return {
    ...provider,
    authUrl: auth_url ?? provider.authUrl,
    spUrl: sp_url ?? provider.spUrl,
    description: description === undefined ? provider.description : description,
    enabled: enabled ?? provider.enabled,
    relayStatePrefix: relay_state_prefix ?? provider.relayStatePrefix,
  };
}

/** What a schema can't say in Keystone's words. */
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

async function requireProvider(queries: Queries, id: string): Promise<ServiceProvider> {
  const provider = await findProvider(queries, id);
  if (provider === undefined) throw new ServiceProviderNotFoundError(id);
  return provider;
}
