/** The rules for identity providers. */
import type { Platform } from "../area.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import { NotFoundError, required } from "../platform/errors.js";
import type { PutResult } from "../platform/database/table.js";
import { nameFault } from "../platform/text/name-characters.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { checkChosenId } from "../platform/text/text-length.js";
import {
  AuthorizedDomainError,
  IdentityProviderExistsError,
  IdentityProviderNotFoundError,
  RemoteIdError,
  RemoteIdTakenError,
  ScimUniqueIdError,
} from "./identity-provider-errors.js";
import {
  findProvider,
  findProviderByRemoteId,
  insertProvider,
  listProviders,
  providerTable,
  takenRemoteId,
  updateProvider,
  type IdentityProviderChange,
  type IdentityProviderDraft,
  type IdentityProvider,
  type IdentityProviderQuery,
} from "./identity-provider.js";
import { endUsersAndTokens, USERS_END, type ShadowUserEnding } from "./shadow-user-deletion.js";

/** Providers in the cache. */
const MAX_CACHED = 1000;

/** The domains of providers. */
export interface ProviderDomains {
  /** @throws {NotFoundError} */
  getDomain(transaction: Queries, id: string): Promise<unknown>;
  createDomain(transaction: Queries, domain: ProviderDomain): Promise<unknown>;
}

/** A domain for the users of one provider. */
export interface ProviderDomain {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}

export interface IdentityProviderServiceDeps extends ShadowUserEnding, Pick<Platform, "database" | "newId"> {
  readonly domains: ProviderDomains;
  /** Whether the provider has pushed users by SCIM. */
  readonly hasProvisionedUsers: (queries: Queries, idpId: string) => Promise<boolean>;
  /** Called in the transaction that deletes a provider, or has it begin anew in another domain. */
  readonly onProviderEnded: (transaction: Transaction, idpId: string) => Promise<void>;
}

export type IdentityProviderService = ReturnType<typeof createIdentityProviderService>;

export function createIdentityProviderService(deps: IdentityProviderServiceDeps) {
  const { database, newId, domains } = deps;
  const cache = createRevisionCache<IdentityProvider>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED,
  });

  /** The domain of a new provider: the requested one, or a new one. */
  async function ensureDomain(transaction: Queries, { id, domainId }: Wanted, newDomainId: string) {
    if (domainId !== undefined) {
      await domains.getDomain(transaction, domainId);
      return domainId;
    }
    const description = `Auto generated federated domain for Identity Provider: ${id}`;
    await domains.createDomain(transaction, {
      id: newDomainId,
      name: newDomainId,
      description,
      enabled: true,
    });
    return newDomainId;
  }

  async function requireDomains(transaction: Queries, ids: readonly string[] | null | undefined) {
    for (const id of ids ?? []) {
      try {
        await domains.getDomain(transaction, id);
      } catch (cause) {
        throw cause instanceof NotFoundError ? new AuthorizedDomainError(id) : cause;
      }
    }
  }

  async function replace(transaction: Transaction, known: IdentityProvider, draft: IdentityProviderDraft) {
    const domainId = draft.domain_id ?? known.domainId;
    if (domainId !== known.domainId) {
      await domains.getDomain(transaction, domainId);
      // Users stay in the domain of their first login, so no user of the old domain is one of the new domain.
      await deps.onProviderEnded(transaction, known.id);
      await endUsersAndTokens(transaction, { identityProviderId: known.id }, deps);
    }
    const provider = toProvider({ id: known.id, domainId }, draft);
    await applyChange(transaction, known, provider);
    return provider;
  }

  /** Disabling a provider revokes its tokens for good. */
  async function applyChange(transaction: Queries, known: IdentityProvider, provider: IdentityProvider) {
    await requireFreeRemoteIds(transaction, provider);
    const isOtherId = provider.scimUniqueId !== known.scimUniqueId;
    if (isOtherId && (await deps.hasProvisionedUsers(transaction, known.id)))
      throw new ScimUniqueIdError(known.id);
    await updateProvider(transaction, provider);
    if (known.enabled && !provider.enabled)
      await deps.revokeTokens(transaction, { identityProviderId: provider.id });
  }

  return {
    list: (query: IdentityProviderQuery): Promise<IdentityProvider[]> =>
      listProviders(database.forLists, query),

    get: async (id: string): Promise<IdentityProvider> => cache.get(id, () => requireProvider(database, id)),

    /** The provider with this remote id. */
    findByRemoteId: (remoteId: string): Promise<IdentityProvider | undefined> =>
      findProviderByRemoteId(database, remoteId),

    /**
     * @param draft Without a domain, a new provider gets a new one and an existing provider keeps its own.
     * @param options.replaces Whether an existing provider is replaced.
     */
    async put(
      id: string,
      draft: IdentityProviderDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<PutResult<IdentityProvider>> {
      checkChosenId(id);
      const newDomainId = newId();
      return database.transaction(async (transaction) => {
        const known = await findProvider(transaction, id);
        await requireDomains(transaction, draft.authorized_domains);
        if (known !== undefined) {
          if (!replaces) throw new IdentityProviderExistsError(id);
          return { item: await replace(transaction, known, draft), isNew: false };
        }
        const wanted = { id, domainId: draft.domain_id ?? undefined };
        const domainId = await ensureDomain(transaction, wanted, newDomainId);
        const provider = toProvider({ id, domainId }, draft);
        await requireFreeRemoteIds(transaction, provider);
        await insertProvider(transaction, provider);
        return { item: provider, isNew: true };
      }, USERS_END);
    },

    update: (id: string, change: IdentityProviderChange): Promise<IdentityProvider> =>
      database.transaction(async (transaction) => {
        const known = await requireProvider(transaction, id);
        const provider = changed(known, change);
        await requireDomains(transaction, change.authorized_domains);
        await applyChange(transaction, known, provider);
        return provider;
      }, USERS_END),

    /**
     * Revokes all tokens that rest on a login through the provider: after its certificate was replaced, or its `remote_ids` or a
     * mapping changed. Users log in again.
     */
    endSessions: (id: string): Promise<void> => endSessions(deps, id),

    /** Deletes its protocols and shadow users too, and revokes their tokens. */
    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireProvider(transaction, id);
        await deps.onProviderEnded(transaction, id);
        await endUsersAndTokens(transaction, { identityProviderId: id }, deps);
        await providerTable.delete(transaction, id);
      }, USERS_END),
  };
}

/** @throws {IdentityProviderNotFoundError} */
export async function endSessions(
  { database, revokeTokens }: Pick<IdentityProviderServiceDeps, "database" | "revokeTokens">,
  id: string,
): Promise<void> {
  await database.transaction(
    async (transaction) => {
      await requireProvider(transaction, id);
      await revokeTokens(transaction, { identityProviderId: id });
    },
    // Facts read before the event have a position before it, which would revoke the tokens of later logins too.
    { changes: ["facts", "revocations"] },
  );
}

interface Wanted {
  readonly id: string;
  readonly domainId: string | undefined;
}

function toProvider(
  { id, domainId }: Pick<IdentityProvider, "id" | "domainId">,
  draft: IdentityProviderDraft,
): IdentityProvider {
  const { enabled, description, authorization_ttl, remote_ids, authorized_domains, scim_unique_id } = draft;
  return {
    id,
    domainId,
    enabled: enabled ?? false,
    description: description ?? null,
    authorizationTtl: authorization_ttl ?? null,
    remoteIds: readRemoteIds(remote_ids ?? []),
    authorizedDomains: authorized_domains ?? null,
    scimUniqueId: scim_unique_id ?? null,
  };
}

function changed(provider: IdentityProvider, change: IdentityProviderChange): IdentityProvider {
  const { enabled, description, authorization_ttl, remote_ids, authorized_domains, scim_unique_id } = change;
  return {
    ...provider,
    enabled: enabled ?? provider.enabled,
    description: description === undefined ? provider.description : description,
    authorizationTtl: authorization_ttl === undefined ? provider.authorizationTtl : authorization_ttl,
    remoteIds: remote_ids === undefined ? provider.remoteIds : readRemoteIds(remote_ids ?? []),
    authorizedDomains: authorized_domains === undefined ? provider.authorizedDomains : authorized_domains,
    scimUniqueId: scim_unique_id === undefined ? provider.scimUniqueId : scim_unique_id,
  };
}

/**
 * Remote ids without white space around them.
 *
 * @throws {RemoteIdError} Two are equal then, or one has an invisible character.
 */
function readRemoteIds(sent: readonly string[]): readonly string[] {
  const ids = new Set<string>();
  for (const remoteId of sent) {
    const id = remoteId.trim();
    const fault = ids.has(id) ? "differs from another one by white space alone" : nameFault(id);
    if (fault !== undefined) throw new RemoteIdError(remoteId, fault);
    ids.add(id);
  }
  return [...ids];
}

async function requireFreeRemoteIds(transaction: Queries, provider: IdentityProvider): Promise<void> {
  const taken = await takenRemoteId(transaction, provider);
  if (taken !== undefined) throw new RemoteIdTakenError(taken);
}

/** @throws {IdentityProviderNotFoundError} */
export function requireProvider(queries: Queries, id: string): Promise<IdentityProvider> {
  return required(findProvider(queries, id), () => new IdentityProviderNotFoundError(id));
}
