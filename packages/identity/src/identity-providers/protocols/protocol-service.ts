/** The rules for protocols of identity providers. */
import type { Platform } from "../../area.js";
import type { Queries } from "../../platform/database/database.js";
import type { ListQuery, PutResult } from "../../platform/database/table.js";
import { required } from "../../platform/errors.js";
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import { sealingIn } from "../../platform/secrets/master-key-in-force.js";
import { checkChosenId } from "../../platform/text/text-length.js";
import {
  ProtocolChangedError,
  ProtocolChecksError,
  ProtocolExistsError,
  ProtocolNotFoundError,
  UnknownMappingError,
} from "../identity-provider-errors.js";
import { requireProvider } from "../identity-provider-service.js";
import type { IdentityProvider } from "../identity-provider.js";
import { storeCheck } from "./protocol-check-store.js";
import type { CheckProtocol, ProtocolReport } from "./protocol-report.js";
import { changedProtocol, newProtocol, openDraft, type DraftedProtocol } from "./protocol-drafts.js";
import {
  deleteProtocol,
  findProtocol,
  insertProtocol,
  isEnabledProtocol,
  listAllProtocols,
  listProtocols,
  listProtocolsOfId,
  listWithSettings,
  updateProtocol,
  type Protocol,
  type ProtocolKey,
  type StoredProtocol,
} from "./protocol-store.js";
import { requireMappingId, type ProtocolChange, type ProtocolDraft } from "./protocol-schema.js";
import { deleteSecrets, unsealSecrets, storeSecrets, type NewSecrets } from "./protocol-secrets.js";
import type { OpenedSettings, ProtocolSettings, ProtocolSettingsDraft } from "./protocol-settings.js";
import { endUsersAndTokens, USERS_END, type ShadowUserEnding } from "../shadow-user-deletion.js";

/** Protocols in the cache. */
const MAX_CACHED = 1000;
/** How often a change is prepared again because of concurrent changes. */
const MAX_ATTEMPTS = 3;
/** No cache has the findings of checks. */
const UNCACHED = { changes: [] } as const;

/** A protocol with the secrets of its settings, for logins; without settings, it has those of the default type. */
export interface OpenedProtocol<Settings extends OpenedSettings = OpenedSettings> extends Omit<
  Protocol,
  "settings"
> {
  readonly settings: Settings;
}

/** A protocol after a change. */
export interface CheckedProtocol extends StoredProtocol {
  /** `undefined` without settings. */
  readonly report: ProtocolReport | undefined;
}

export interface StoreOptions {
  /** Whether nothing is stored if a check fails. */
  readonly isStrict?: boolean;
}

/** The mappings of protocols. */
export interface ProtocolMappings {
  exists(transaction: Queries, id: string): Promise<boolean>;
}

export interface ProtocolServiceDeps
  extends ShadowUserEnding, Pick<Platform, "database" | "clock" | "masterKey"> {
  readonly mappings: ProtocolMappings;
  /** The types of settings. */
  readonly settings: ProtocolSettings;
  /** Rejects invalid metadata. */
  readonly checkMetadata: (draft: ProtocolSettingsDraft, remoteIds: readonly string[]) => Promise<void>;
  readonly checkProtocol: CheckProtocol;
}

export type ProtocolService = ReturnType<typeof createProtocolService>;

export function createProtocolService(deps: ProtocolServiceDeps) {
  const { database, mappings, settings: rules, masterKey, clock } = deps;
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

  /** Runs outside of transactions: it sends requests. @param draft Not stored yet. */
  async function reportOn(protocol: Protocol, draft?: DraftedProtocol): Promise<ProtocolReport | undefined> {
    const { settings } = protocol;
    if (settings === null) return undefined;
    const provider = await requireProvider(database, protocol.idpId);
    const stored = () => unsealSecrets(database, protocol, masterKey);
    const open = async () =>
      draft === undefined ? { ...settings, ...(await stored()) } : openDraft(settings, draft, stored);
    return deps.checkProtocol({ ...protocol, provider, settings, open });
  }

  /** @throws {ProtocolChecksError} */
  async function requireSound(draft: DraftedProtocol): Promise<ProtocolReport | undefined> {
    const report = await reportOn(draft.protocol, draft);
    const failures = report?.checks.filter(({ status }) => status === "failure") ?? [];
    if (failures.length > 0) throw new ProtocolChecksError(failures);
    return report;
  }

  /** The protocol as stored, with a report on it unless it was checked before. Its findings are kept. */
  async function reported(protocol: StoredProtocol, known?: ProtocolReport): Promise<CheckedProtocol> {
    const report = known ?? (await reportOn(protocol));
    if (report !== undefined && !report.isRefused) {
      const { refreshedAt } = protocol;
      const check = { checkedAt: clock.now(), refreshedAt, checks: report.checks };
      await database.transaction((transaction) => storeCheck(transaction, protocol, check), UNCACHED);
    }
    return { ...protocol, report };
  }

  const nextRefresh = (known: Protocol | undefined) => Math.max(clock.now(), (known?.refreshedAt ?? 0) + 1);

  /** @returns `undefined` if another request changed the protocol while the change was checked. */
  async function tryUpdate(
    key: ProtocolKey,
    change: ProtocolChange,
    { isStrict = false }: StoreOptions,
  ): Promise<CheckedProtocol | undefined> {
    if (change.mapping_id !== undefined) await requireMapping(database, change.mapping_id);
    const known = await requireProtocol(database, key);
    const draft = changedProtocol(known, change, rules);
    await checkDraft(key, draft.sent);
    const report = isStrict ? await requireSound(draft) : undefined;
    const stored = await database.transaction(async (transaction) => {
      if (change.mapping_id !== undefined) await requireMapping(transaction, change.mapping_id);
      const current = await requireProtocol(transaction, key);
      if (current.refreshedAt !== known.refreshedAt) return undefined;
      await updateProtocol(transaction, { ...draft.protocol, refreshedAt: nextRefresh(known) });
      if (!draft.keepsSecrets) await deleteSecrets(transaction, key);
      await store(transaction, key, draft.secrets);
      return requireProtocol(transaction, key);
    });
    return stored && reported(stored, report);
  }

  async function openSettings(key: ProtocolKey): Promise<OpenedSettings | undefined> {
    const { settings } = await requireProtocol(database, key);
    if (settings === null) return undefined;
    return { ...settings, ...(await unsealSecrets(database, key, masterKey)) };
  }

  return {
    settings: rules,

    /** @throws {IdentityProviderNotFoundError} */
    async list(idpId: string, query: ListQuery<never>): Promise<StoredProtocol[]> {
      await requireProvider(database, idpId);
      return listProtocols(database, idpId, query);
    },

    get: (key: ProtocolKey): Promise<StoredProtocol> => requireProtocol(database, key),

    /** Whether it exists and its provider is enabled. */
    isEnabled: (key: ProtocolKey): Promise<boolean> => isEnabledProtocol(database, key),

    /** All protocols, or those of a mapping, in the order of their providers. */
    listAll: (mappingId?: string): Promise<StoredProtocol[]> => listAllProtocols(database, mappingId),

    /** Protocols of this id, in the order of their providers. */
    listOfId: (id: string): Promise<StoredProtocol[]> => listProtocolsOfId(database, id),

    /** Cached until facts change. */
    getOpened: async (key: ProtocolKey): Promise<OpenedProtocol> =>
      cache.get(JSON.stringify([key.idpId, key.id]), async () => {
        const { idpId, id, mappingId, remoteIdAttribute, refreshedAt } = await requireProtocol(database, key);
        const settings = rules.settingsOf((await openSettings(key)) ?? null);
        return { idpId, id, mappingId, remoteIdAttribute, refreshedAt, settings };
      }),

    /** Protocols of enabled providers that have settings of a type. */
    async listOfType(type: string): Promise<Protocol[]> {
      return (await listWithSettings(database)).filter(({ settings }) => settings?.type === type);
    },

    /** The settings with their secrets, for logins; `undefined` without settings. */
    openSettings,

    /** @param options.replaces Whether an existing protocol is replaced, with its secrets. */
    async put(
      key: ProtocolKey,
      sent: ProtocolDraft,
      { replaces, isStrict = false }: StoreOptions & { readonly replaces: boolean },
    ): Promise<PutResult<CheckedProtocol>> {
      checkChosenId(key.id);
      const draft = newProtocol(key, sent, rules);
      await checkDraft(key, draft.sent);
      const report = isStrict ? await requireSound(draft) : undefined;
      const { item, isNew } = await database.transaction(async (transaction) => {
        await requireMapping(transaction, sent.mapping_id);
        await requireProvider(transaction, key.idpId);
        const known = await findProtocol(transaction, key);
        if (known !== undefined && !replaces) throw new ProtocolExistsError(key.id);
        const protocol = { ...draft.protocol, refreshedAt: nextRefresh(known) };
        await (known === undefined ? insertProtocol : updateProtocol)(transaction, protocol);
        await deleteSecrets(transaction, key);
        await store(transaction, key, draft.secrets);
        return { item: await requireProtocol(transaction, key), isNew: known === undefined };
      });
      return { item: await reported(item, report), isNew };
    },

    /**
     * Members of settings that a change leaves out are kept, secrets too. Every replica reads the provider again at the next login.
     *
     * @throws {SchemaError} {@link ProtocolChecksError} {@link ProtocolChangedError}
     */
    async update(
      key: ProtocolKey,
      change: ProtocolChange,
      options: StoreOptions = {},
    ): Promise<CheckedProtocol> {
      requireMappingId(change);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const updated = await tryUpdate(key, change, options);
        if (updated !== undefined) return updated;
      }
      throw new ProtocolChangedError(key.id);
    },

    /** Has every replica read the provider again at the next login. */
    async refresh(key: ProtocolKey): Promise<CheckedProtocol> {
      const stored = await database.transaction(async (transaction) => {
        const known = await requireProtocol(transaction, key);
        const refreshed = { ...known, refreshedAt: nextRefresh(known) };
        await updateProtocol(transaction, refreshed);
        return refreshed;
      });
      return reported(stored);
    },

    /** The report on a stored protocol; `undefined` without settings. */
    check: async (key: ProtocolKey): Promise<ProtocolReport | undefined> =>
      reportOn(await requireProtocol(database, key)),

    /** Deletes users who have no other protocol, and revokes the tokens of all logins through it. */
    delete: (key: ProtocolKey): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireProtocol(transaction, key);
        await endUsersAndTokens(transaction, { identityProviderId: key.idpId, protocolId: key.id }, deps);
        await deleteProtocol(transaction, key);
      }, USERS_END),
  };
}

/**
 * Checks a reference to a protocol.
 *
 * @returns The provider.
 * @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError}
 */
export async function requireProtocolIn(queries: Queries, key: ProtocolKey): Promise<IdentityProvider> {
  const provider = await requireProvider(queries, key.idpId);
  await requireProtocol(queries, key);
  return provider;
}

/** Whether any provider has a protocol of this id. */
export async function isProtocolAnywhere(queries: Queries, id: string): Promise<boolean> {
  return (await listProtocolsOfId(queries, id)).length > 0;
}

function requireProtocol(queries: Queries, key: ProtocolKey): Promise<StoredProtocol> {
  return required(findProtocol(queries, key), () => new ProtocolNotFoundError(key));
}
