/** The rules for the configuration of domains. It is stored for Keystone's clients; only `identity.driver` has an effect. */
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Database, Queries } from "../platform/database/database.js";
import { sealingIn } from "../platform/secrets/master-key-in-force.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { requireDomain } from "../projects/project-store.js";
import { DomainConfigNotFoundError, ForeignDriverError, type ConfigPath } from "./domain-config-errors.js";
import { checkPath, parseConfig, parsePart, type DomainConfig } from "./domain-config-options.js";
import {
  deleteConfig,
  isConfigured,
  listForeignDrivers,
  readConfig,
  storeConfig,
} from "./domain-config-store.js";

export interface DomainConfigServiceDeps {
  readonly database: Database;
  /** Seals sensitive options. */
  readonly masterKey: MasterKey;
}

export type DomainConfigService = ReturnType<typeof createDomainConfigService>;

export function createDomainConfigService({ database, masterKey }: DomainConfigServiceDeps) {
  const foreignDrivers = createRevisionCache<ReadonlyMap<string, string>>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  const store = (transaction: Queries, domainId: string, config: DomainConfig): Promise<void> =>
    storeConfig(transaction, domainId, {
      config,
      seal: () => sealingIn(transaction, { kind: database.kind, masterKey }),
    });

  return {
    /** @throws {DomainConfigNotFoundError} Nothing is set, or nothing that may be shown. */
    async get(domainId: string, path?: ConfigPath): Promise<DomainConfig> {
      if (path !== undefined) checkPath(path);
      const config = await readConfig(database, domainId, path);
      if (Object.keys(config).length === 0) throw new DomainConfigNotFoundError(domainId, path);
      return config;
    },

    /** @param given The configuration of the request. @returns What of it may be shown. */
    async replace(
      domainId: string,
      given: unknown,
    ): Promise<{ readonly config: DomainConfig; readonly isNew: boolean }> {
      const config = parseConfig(given);
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        const former = await readConfig(transaction, domainId);
        await deleteConfig(transaction, domainId);
        await store(transaction, domainId, config);
        const isNew = Object.keys(former).length === 0;
        return { config: await readConfig(transaction, domainId), isNew };
      });
    },

    /**
     * Sets options; others stay.
     *
     * @param path A group or option, which is set already.
     * @returns All options that may be shown.
     */
    async update(domainId: string, given: unknown, path?: ConfigPath): Promise<DomainConfig> {
      const config = path === undefined ? parseConfig(given) : parsePart(given, path);
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        if (path !== undefined) await requireConfigured(transaction, domainId, path);
        await store(transaction, domainId, config);
        return readConfig(transaction, domainId);
      });
    },

    async delete(domainId: string, path?: ConfigPath): Promise<void> {
      if (path !== undefined) checkPath(path);
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        if (path !== undefined) await requireConfigured(transaction, domainId, path);
        await deleteConfig(transaction, domainId, path);
      });
    },

    /** @throws {ForeignDriverError} The domain's users are in a directory. */
    requireSqlDriver: async (domainId: string): Promise<void> => {
      const drivers = await foreignDrivers.get("", () => listForeignDrivers(database));
      const driver = drivers.get(domainId);
      if (driver !== undefined) throw new ForeignDriverError(domainId, driver);
    },
  };
}

/** @throws {DomainConfigNotFoundError} */
async function requireConfigured(queries: Queries, domainId: string, path: ConfigPath): Promise<void> {
  if (!(await isConfigured(queries, domainId, path))) throw new DomainConfigNotFoundError(domainId, path);
}
