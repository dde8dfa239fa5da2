/** The rules for protocols of identity providers. */
import type { Database, Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import type { PutResult } from "../platform/database/table.js";
import { required } from "../platform/found.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { sealingIn } from "../platform/secrets/master-key-in-force.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { checkChosenId } from "../platform/text/text-length.js";
import {
  ProtocolExistsError,
  ProtocolNotFoundError,
  UnknownMappingError,
} from "./identity-provider-errors.js";
import { requireProvider } from "./identity-provider-service.js";
import type { IdentityProvider } from "./identity-provider-store.js";
import type { ProtocolChange, ProtocolDraft } from "./protocol-schema.js";
import { deleteSecrets, unsealSecrets, storeSecrets, type NewSecrets } from "./protocol-secrets.js";
import {
  splitSettings,
  type OpenedSettings,
  type ProtocolSettingsDraft,
  type PublicSettings,
} from "./protocol-settings.js";
import {
  deleteProtocol,
  findProtocol,
  insertProtocol,
  isEnabledProtocol,
  listProtocols,
  listProtocolsOfId,
  listWithSettings,
  updateProtocol,
  type Protocol,
  type ProtocolKey,
  type StoredProtocol,
} from "./protocol-store.js";
import { endUsersAndTokens, USERS_END, type ShadowUserEnding } from "./shadow-user-deletion.js";

/** Protocols in the cache. */
const MAX_CACHED = 1000;

/** A protocol with its secrets, for logins. */
export interface OpenedProtocol extends StoredProtocol {
  readonly opened: OpenedSettings | undefined;
}

/** The mappings of protocols. */
export interface ProtocolMappings {
  exists(transaction: Queries, id: string): Promise<boolean>;
}

export interface ProtocolServiceDeps extends ShadowUserEnding {
  readonly database: Database;
  readonly mappings: ProtocolMappings;
  /** Seals the secrets among settings. */
  readonly masterKey: MasterKey;
  /** Rejects invalid metadata. */
  readonly checkMetadata: (draft: ProtocolSettingsDraft, remoteIds: readonly string[]) => Promise<void>;
}

export type ProtocolService = ReturnType<typeof createProtocolService>;

export function createProtocolService(deps: ProtocolServiceDeps) {
  const { database, mappings, masterKey } = deps;
  const cache = createRevisionCache<OpenedProtocol>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED,
  });

  async function requireMapping(transaction: Queries, id: string): Promise<void> {
    if (!(await mappings.exists(transaction, id))) throw new UnknownMappingError(id);
  }

  async function store(transaction: Queries, key: ProtocolKey, secrets: NewSecrets): Promise<void> {
    if (secrets.size === 0) return;
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    await storeSecrets(transaction, key, { secrets, seal });
  }

  /** Runs before the transaction, since it may take long. */
  async function checkDraft(
    key: ProtocolKey,
    draft: ProtocolSettingsDraft | null | undefined,
  ): Promise<void> {
    if (draft === null || draft === undefined) return;
    const { remoteIds } = await requireProvider(database, key.idpId);
    await deps.checkMetadata(draft, remoteIds);
  }

  async function openSettings(key: ProtocolKey): Promise<OpenedSettings | undefined> {
    const { settings } = await requireProtocol(database, key);
    if (settings === null) return undefined;
    return { ...settings, ...(await unsealSecrets(database, key, masterKey)) };
  }

  return {
    /** @throws {IdentityProviderNotFoundError} */
    async list(idpId: string, query: ListQuery<never>): Promise<StoredProtocol[]> {
      await requireProvider(database, idpId);
      return listProtocols(database, idpId, query);
    },

    get: (key: ProtocolKey): Promise<StoredProtocol> => requireProtocol(database, key),

    /**
     * Checks a reference to a protocol.
     *
     * @returns The provider.
     * @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError}
     */
    async requireIn(queries: Queries, key: ProtocolKey): Promise<IdentityProvider> {
      const provider = await requireProvider(queries, key.idpId);
      await requireProtocol(queries, key);
      return provider;
    },

    /** Whether it exists and its provider is enabled. */
    isEnabled: (key: ProtocolKey): Promise<boolean> => isEnabledProtocol(database, key),

    /** Whether any provider has a protocol of this id. */
    isAnywhere: async (queries: Queries, id: string): Promise<boolean> =>
      (await listProtocolsOfId(queries, id)).length > 0,

    /** Protocols of this id, in the order of their providers. */
    listOfId: (id: string): Promise<StoredProtocol[]> => listProtocolsOfId(database, id),

    /** Cached until facts change. */
    getOpened: (key: ProtocolKey): Promise<OpenedProtocol> =>
      cache.get(JSON.stringify([key.idpId, key.id]), async () => ({
        ...(await requireProtocol(database, key)),
        opened: await openSettings(key),
      })),

    /** Protocols of enabled providers that have settings of a type. */
    async listOfType(type: PublicSettings["type"]): Promise<Protocol[]> {
      return (await listWithSettings(database)).filter(({ settings }) => settings?.type === type);
    },

    /** The settings with their secrets, for logins; `undefined` without settings. */
    openSettings,

    /** @param options.replaces Whether an existing protocol is replaced, with its secrets. */
    async put(
      key: ProtocolKey,
      { mapping_id: mappingId, remote_id_attribute, settings: draft }: ProtocolDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<PutResult<StoredProtocol>> {
      checkChosenId(key.id);
      const { settings, secrets } = split(draft);
      await checkDraft(key, draft);
      const protocol = { ...key, mappingId, remoteIdAttribute: remote_id_attribute ?? null, settings };
      return database.transaction(async (transaction) => {
        await requireMapping(transaction, mappingId);
        await requireProvider(transaction, key.idpId);
        const isNew = (await findProtocol(transaction, key)) === undefined;
        if (!isNew && !replaces) throw new ProtocolExistsError(key.id);
        await (isNew ? insertProtocol : updateProtocol)(transaction, protocol);
        await deleteSecrets(transaction, key);
        await store(transaction, key, secrets);
        return { item: await requireProtocol(transaction, key), isNew };
      });
    },

    /** Secrets that new settings leave out are kept: clients can't read them to send them again. */
    async update(key: ProtocolKey, change: ProtocolChange): Promise<StoredProtocol> {
      const sent = change.settings === undefined ? undefined : split(change.settings);
      await checkDraft(key, change.settings);
      return database.transaction(async (transaction) => {
        await requireMapping(transaction, change.mapping_id);
        const known = await requireProtocol(transaction, key);
        await updateProtocol(transaction, changed(known, change, sent?.settings));
        if (sent !== undefined) {
          if (sent.settings?.type !== known.settings?.type) await deleteSecrets(transaction, key);
          await store(transaction, key, sent.secrets);
        }
        return requireProtocol(transaction, key);
      });
    },

    /** Deletes users who have no other protocol, and revokes the tokens of all logins through it. */
    delete: (key: ProtocolKey): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireProtocol(transaction, key);
        await endUsersAndTokens(transaction, { identityProviderId: key.idpId, protocolId: key.id }, deps);
        await deleteProtocol(transaction, key);
      }, USERS_END),
  };
}

interface SentSettings {
  readonly settings: PublicSettings | null;
  readonly secrets: NewSecrets;
}

/** The settings of a request, split into public settings and secrets. */
function split(draft: ProtocolSettingsDraft | null | undefined): SentSettings {
  return draft === null || draft === undefined
    ? { settings: null, secrets: new Map() }
    : splitSettings(draft);
}

/** @param settings `undefined` keeps the stored settings. */
function changed(
  known: StoredProtocol,
  { mapping_id, remote_id_attribute }: ProtocolChange,
  settings: PublicSettings | null = known.settings,
): Protocol {
  const remoteIdAttribute = remote_id_attribute ?? known.remoteIdAttribute;
  return { ...known, mappingId: mapping_id, remoteIdAttribute, settings };
}

function requireProtocol(queries: Queries, key: ProtocolKey): Promise<StoredProtocol> {
  return required(findProtocol(queries, key), () => new ProtocolNotFoundError(key));
}
