/** The rules for protocols of identity providers. */
import type { Database, Queries } from "../platform/database/database.js";
import type { Page } from "../platform/http/lists/paging.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { MasterKeyNotInForce, sealingIn } from "../platform/secrets/master-key-in-force.js";
import { SealError, type MasterKey } from "../platform/secrets/sealing.js";
import { checkChosenId } from "../platform/text/text-length.js";
import {
  ProtocolExistsError,
  ProtocolNotFoundError,
  UnknownMappingError,
} from "./identity-provider-errors.js";
import { requireProvider } from "./identity-provider-service.js";
import type { IdentityProvider } from "./identity-provider-store.js";
import type { ProtocolChange, ProtocolDraft } from "./protocol-schema.js";
import { deleteSecrets, openSecrets, storeSecrets, type NewSecrets } from "./protocol-secrets.js";
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
import { endUsersAndTokens, USERS_END, type ShadowUserEnding } from "./shadow-users.js";

/** Protocols that are remembered at most. */
const MOST_REMEMBERED = 1000;

/** A protocol with its secrets, for whoever lets users in. */
export interface OpenedProtocol extends StoredProtocol {
  readonly opened: OpenedSettings | undefined;
}

/** What of mappings a protocol needs. */
export interface ProtocolMappings {
  exists(transaction: Queries, id: string): Promise<boolean>;
}

export interface ProtocolServiceDeps extends ShadowUserEnding {
  readonly database: Database;
  readonly mappings: ProtocolMappings;
  /** Seals the secrets among settings. */
  readonly masterKey: MasterKey;
  /** Refuses metadata that is known to be no good. */
  readonly checkMetadata: (draft: ProtocolSettingsDraft, remoteIds: readonly string[]) => Promise<void>;
}

export type ProtocolService = ReturnType<typeof createProtocolService>;

export function createProtocolService(deps: ProtocolServiceDeps) {
  const { database, mappings, masterKey } = deps;
  const remembered = createRevisionCache<OpenedProtocol>({
    revision: () => database.revision("facts"),
    maxEntries: MOST_REMEMBERED,
  });

  async function requireMapping(transaction: Queries, id: string): Promise<void> {
    if (!(await mappings.exists(transaction, id))) throw new UnknownMappingError(id);
  }

  async function store(transaction: Queries, key: ProtocolKey, secrets: NewSecrets): Promise<void> {
    if (secrets.size === 0) return;
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    await storeSecrets(transaction, key, { secrets, seal });
  }

  /** Before the transaction: it takes a while. */
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
    try {
      return { ...settings, ...(await openSecrets(database, key, masterKey)) };
    } catch (error) {
      if (error instanceof SealError && error.code === "seal/wrong-key")
        throw new MasterKeyNotInForce(error.message);
      throw error;
    }
  }

  return {
    /** @throws {IdentityProviderNotFoundError} */
    async list(idpId: string, page: Page): Promise<StoredProtocol[]> {
      await requireProvider(database, idpId);
      return listProtocols(database, idpId, page);
    },

    get: (key: ProtocolKey): Promise<StoredProtocol> => requireProtocol(database, key),

    /**
     * For who refers to it.
     *
     * @returns The provider.
     * @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError}
     */
    async requireIn(queries: Queries, key: ProtocolKey): Promise<IdentityProvider> {
      const provider = await requireProvider(queries, key.idpId);
      await requireProtocol(queries, key);
      return provider;
    },

    /** Whether it exists, and its provider is enabled. */
    isEnabled: (key: ProtocolKey): Promise<boolean> => isEnabledProtocol(database, key),

    /** Whether any provider has a protocol of this id. */
    isAnywhere: async (queries: Queries, id: string): Promise<boolean> =>
      (await listProtocolsOfId(queries, id)).length > 0,

    /** Those of this id, of whichever providers, in the order of these. */
    listOfId: (id: string): Promise<StoredProtocol[]> => listProtocolsOfId(database, id),

    /** As remembered since the last change. */
    getOpened: (key: ProtocolKey): Promise<OpenedProtocol> =>
      remembered.get(JSON.stringify([key.idpId, key.id]), async () => ({
        ...(await requireProtocol(database, key)),
        opened: await openSettings(key),
      })),

    /** Which protocols of providers in use have settings of a type. */
    async listOfType(type: PublicSettings["type"]): Promise<ProtocolKey[]> {
      const protocols = await listWithSettings(database);
      return protocols
        .filter(({ settings }) => settings?.type === type)
        .map(({ idpId, id }) => ({ idpId, id }));
    },

    /** The settings with their secrets, for whoever lets users in; `undefined` without settings. */
    openSettings,

    /** @param options.replaces Whether one that is there already is replaced, its secrets included. */
    async put(
      key: ProtocolKey,
      { mapping_id: mappingId, remote_id_attribute, settings: draft }: ProtocolDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<{ readonly protocol: StoredProtocol; readonly isNew: boolean }> {
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
        return { protocol: await requireProtocol(transaction, key), isNew };
      });
    },

    /** New settings keep the secrets that they don't name: nobody could read them to send them again. */
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

    /** Ends the users who came in by it alone, and the tokens of all who came in by it. */
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

/** Settings that were sent, apart from the secrets among them. */
function split(draft: ProtocolSettingsDraft | null | undefined): SentSettings {
  return draft === null || draft === undefined
    ? { settings: null, secrets: new Map() }
    : splitSettings(draft);
}

/** @param settings `undefined` keeps those that are there. */
function changed(
  known: StoredProtocol,
  { mapping_id, remote_id_attribute }: ProtocolChange,
  settings: PublicSettings | null = known.settings,
): Protocol {
  const remoteIdAttribute = remote_id_attribute ?? known.remoteIdAttribute;
  return { ...known, mappingId: mapping_id, remoteIdAttribute, settings };
}

async function requireProtocol(queries: Queries, key: ProtocolKey): Promise<StoredProtocol> {
  const protocol = await findProtocol(queries, key);
  if (protocol === undefined) throw new ProtocolNotFoundError(key);
  return protocol;
}
