/** Mappings, identity providers with their protocols, and service providers in documents. */
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import { WHOLE_LIST } from "../../platform/database/table.js";
import { RELAY_STATE_PREFIX } from "../../service-providers/service-provider.js";
import type { DocumentPath } from "../document-errors.js";
import type { IdentityProviderEntry, MappingEntry, ServiceProviderEntry } from "../document.js";
import { changedMembers, located, type Kind, type KindContext } from "../kind.js";

export const mappingKind: Kind<MappingEntry> = {
  kind: "mapping",
  prunedAs: "mappings",
  keys: ["id"],
  defaults: { schema_version: "1.0" },
  actions: {
    create: "identity:create_mapping",
    update: "identity:update_mapping",
    delete: "identity:delete_mapping",
  },
  entriesOf: ({ mappings }) => located("mappings", mappings),
  nameOf: ({ id }) => id,
  isCovered: () => true,
  async stored({ services }) {
    return (await services.mappings.list(WHOLE_LIST)).map(({ id, rules, schemaVersion }) => ({
      entry: { id, schema_version: schemaVersion, rules: [...rules] },
      ids: { mapping_id: id },
      change: ({ entry }) => services.mappings.put(id, draftOf(entry), { replaces: true }),
      delete: () => services.mappings.delete(id),
    }));
  },
  async create({ services }, { entry }) {
    await services.mappings.put(entry.id, draftOf(entry), { replaces: false });
    return { mapping_id: entry.id };
  },
};

const draftOf = ({ rules, schema_version }: MappingEntry) => ({ rules, schema_version });

export const identityProviderKind: Kind<IdentityProviderEntry> = {
  kind: "identity_provider",
  prunedAs: "identity_providers",
  keys: ["id", "protocols"],
  defaults: {
    enabled: false,
    description: null,
    authorization_ttl: null,
    remote_ids: [],
    authorized_domains: null,
  },
  actions: {
    create: "identity:create_identity_provider",
    update: "identity:update_identity_provider",
    delete: "identity:delete_identity_provider",
  },
  entriesOf: ({ identity_providers }) => located("identity_providers", identity_providers),
  nameOf: ({ id }) => id,
  isCovered: () => true,
  normalized: (entry) =>
    entry.remote_ids === undefined
      ? entry
      : { ...entry, remote_ids: entry.remote_ids.map((id) => id.trim()) },
  async stored(context) {
    const { services } = context;
    const providers = await services.identityProviders.list({ ...WHOLE_LIST, enabled: [] });
    return Promise.all(
      providers.map(async (provider) => ({
        entry: await entryOf(provider, context),
        ids: { idp_id: provider.id },
        change: async ({ entry, path }, changed) => {
          const draft = await providerDraft(entry, path, context);
          // A change of the domain is not a change in the API, but a replacement.
          if (changed.has("domain"))
            await services.identityProviders.put(provider.id, draft, { replaces: true });
          else await services.identityProviders.update(provider.id, changedMembers(draft, changed));
        },
        delete: () => services.identityProviders.delete(provider.id),
      })),
    );
  },
  async create(context, { entry, path }) {
    const draft = await providerDraft(entry, path, context);
    await context.services.identityProviders.put(entry.id, draft, { replaces: false });
    return { idp_id: entry.id };
  },
};

async function entryOf(provider: IdentityProvider, { names }: KindContext): Promise<IdentityProviderEntry> {
  const { id, domainId, enabled, description, authorizationTtl, remoteIds, authorizedDomains } = provider;
  return {
    id,
    domain: await names.domainName(domainId),
    enabled,
    description,
    authorization_ttl: authorizationTtl,
    remote_ids: [...remoteIds],
    authorized_domains:
      authorizedDomains === null
        ? null
        : await Promise.all(authorizedDomains.map((each) => names.domainName(each))),
  };
}

async function providerDraft(entry: IdentityProviderEntry, path: DocumentPath, { names }: KindContext) {
  const { enabled = false, description = null, authorization_ttl = null, remote_ids = [] } = entry;
  const authorized: string[] = [];
  for (const [index, name] of (entry.authorized_domains ?? []).entries())
    authorized.push(await names.domainId(name, [...path, "authorized_domains", index]));
  return {
    domain_id: await names.domainId(entry.domain, [...path, "domain"]),
    enabled,
    description,
    authorization_ttl,
    remote_ids,
    authorized_domains: entry.authorized_domains ? authorized : null,
  };
}

/**
 * Takes remote ids from providers that lose them, before another one gets them: a remote id is that of one provider at any moment.
 */
export async function releaseRemoteIds(
  { services }: KindContext,
  wanted: readonly IdentityProviderEntry[],
): Promise<void> {
  const stored = await services.identityProviders.list({ ...WHOLE_LIST, enabled: [] });
  for (const { id, remoteIds } of stored) {
    const entry = wanted.find((each) => each.id === id);
    const owned = new Set((entry?.remote_ids ?? []).map((each) => each.trim()));
    const left = remoteIds.filter((each) => owned.has(each));
    if (entry !== undefined && left.length < remoteIds.length)
      await services.identityProviders.update(id, { remote_ids: left });
  }
}

export const serviceProviderKind: Kind<ServiceProviderEntry> = {
  kind: "service_provider",
  prunedAs: "service_providers",
  keys: ["id"],
  defaults: { enabled: false, description: null, relay_state_prefix: RELAY_STATE_PREFIX },
  actions: {
    create: "identity:create_service_provider",
    update: "identity:update_service_provider",
    delete: "identity:delete_service_provider",
  },
  entriesOf: ({ service_providers }) => located("service_providers", service_providers),
  nameOf: ({ id }) => id,
  isCovered: () => true,
  async stored({ services }) {
    return (await services.serviceProviders.list({ ...WHOLE_LIST, enabled: [] })).map((provider) => ({
      entry: {
        id: provider.id,
        auth_url: provider.authUrl,
        sp_url: provider.spUrl,
        enabled: provider.enabled,
        description: provider.description,
        relay_state_prefix: provider.relayStatePrefix,
      },
      ids: { sp_id: provider.id },
      change: ({ entry }) =>
        services.serviceProviders.put(provider.id, wholeDraft(entry), { replaces: true }),
      delete: () => services.serviceProviders.delete(provider.id),
    }));
  },
  async create({ services }, { entry }) {
    await services.serviceProviders.put(entry.id, wholeDraft(entry), { replaces: false });
    return { sp_id: entry.id };
  },
};

function wholeDraft(entry: ServiceProviderEntry) {
  const {
    auth_url,
    sp_url,
    enabled = false,
    description = null,
    relay_state_prefix = RELAY_STATE_PREFIX,
  } = entry;
  return { auth_url, sp_url, enabled, description, relay_state_prefix };
}
