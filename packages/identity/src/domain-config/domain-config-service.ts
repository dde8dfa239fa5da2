/**
 * The rules for the configuration of domains. Without `domain_specific_drivers_enabled` it is stored for Keystone's clients, and only
 * `identity.driver` has an effect: logins are rejected where it is not `sql`.
 */
import type { Platform } from "../area.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Queries } from "../platform/database/database.js";
import { sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import { DEFAULT_DOMAIN_ID } from "../policy/caller.js";
import { requireDomain } from "../projects/project-store.js";
import type { DefaultDirectory } from "./default-directory.js";
import {
  DirectoriesOffError,
  DomainConfigNotFoundError,
  ForeignDriverError,
  checkPath,
  checkValues,
  parseConfig,
  parsePart,
  type ConfigPath,
  type DomainConfig,
} from "./domain-config-options.js";
import {
  deleteConfig,
  deleteShownOptions,
  isConfigured,
  isForeign,
  listDirectoryConfigs,
  listForeignDrivers,
  listLimitsOfDomains,
  readDomainConfig,
  secretPlace,
  storeConfig,
} from "./domain-config-store.js";

export type DomainConfigService = ReturnType<typeof createDomainConfigService>;

/** The configuration of a domain whose users are in a directory. */
export interface DirectoryConfig {
  readonly domainId: string;
  /** Whether settings of the service name the directory, and no configuration of the domain's own. */
  readonly isDefault: boolean;
  /** The options of the group `ldap` that are set, without the password. */
  readonly ldap: Readonly<Record<string, unknown>>;
  /** In base64; changes with the password. */
  readonly sealedPassword: string | undefined;
  /** Unseals the password of the service's account. */
  readonly readPassword: () => string | undefined;
}

export interface DomainConfigServiceDeps extends Pick<Platform, "database" | "masterKey"> {
  /** Whether the driver of a domain takes effect; no, if left out. */
  readonly usesDrivers?: boolean;
  /** Of the default domain, where it has no configuration that takes effect; none, if left out. */
  readonly defaultDirectory?: DefaultDirectory | undefined;
}

export function createDomainConfigService({
  database,
  masterKey,
  usesDrivers = false,
  defaultDirectory,
}: DomainConfigServiceDeps) {
  const foreignDrivers = createRevisionCache<ReadonlyMap<string, string>>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  const limits = createRevisionCache<ReadonlyMap<string, number>>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  const allowed = { withHidden: usesDrivers };

  const checked = (config: DomainConfig): DomainConfig => {
    if (usesDrivers) checkValues(config);
    return config;
  };

  const store = (transaction: Queries, domainId: string, config: DomainConfig): Promise<void> =>
    storeConfig(transaction, domainId, {
      config,
      seal: () => sealingIn(transaction, { kind: database.kind, masterKey }),
    });

  async function ownConfigs(): Promise<DirectoryConfig[]> {
    const stored = await listDirectoryConfigs(database);
    return stored.map(({ domainId, options: { ldap = {} }, sealedPassword }) => ({
      domainId,
      isDefault: false,
      ldap,
      sealedPassword: sealedPassword?.toString("base64"),
      readPassword: () =>
        sealedPassword &&
        passwordIn(unsealStored(masterKey, sealedPassword, secretPlace(domainId, "ldap", "password"))),
    }));
  }

  /** As in Keystone, a domain with a configuration has a driver of its own: by default `sql`. */
  const hasOwnDriver = async (domainId: string): Promise<boolean> =>
    usesDrivers && (await isConfigured(database, domainId));

  return {
    /** @throws {DomainConfigNotFoundError} Nothing is set, or nothing that may be shown. */
    async get(domainId: string, path?: ConfigPath): Promise<DomainConfig> {
      if (path !== undefined) checkPath(path, allowed);
      const config = await readDomainConfig(database, domainId, path);
      if (Object.keys(config).length === 0) throw new DomainConfigNotFoundError(domainId, path);
      return config;
    },

    /** @param given The configuration of the request. @returns What of it may be shown. */
    async replace(
      domainId: string,
      given: unknown,
    ): Promise<{ readonly config: DomainConfig; readonly isNew: boolean }> {
      const config = checked(parseConfig(given, allowed));
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        const former = await readDomainConfig(transaction, domainId);
        await deleteConfig(transaction, domainId);
        await store(transaction, domainId, config);
        const isNew = Object.keys(former).length === 0;
        return { config: await readDomainConfig(transaction, domainId), isNew };
      });
    },

    /**
     * Sets options; others stay.
     *
     * @param path A group or option, which is set already.
     * @returns All options that may be shown.
     */
    async update(domainId: string, given: unknown, path?: ConfigPath): Promise<DomainConfig> {
      const config = checked(
        path === undefined ? parseConfig(given, allowed) : parsePart(given, path, allowed),
      );
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        if (path !== undefined) await requireConfigured(transaction, domainId, path);
        await store(transaction, domainId, config);
        return readDomainConfig(transaction, domainId);
      });
    },

    /**
     * Puts the users of a domain into a directory, in one step: its options are these and no others. A stored password stays, if none
     * is given.
     *
     * @param given A configuration of the group `ldap` alone.
     * @returns All options of the domain that may be shown.
     * @throws {DirectoriesOffError} The driver of a domain takes no effect.
     */
    async replaceDirectory(domainId: string, given: unknown): Promise<DomainConfig> {
      if (!usesDrivers) throw new DirectoriesOffError();
      const options = parsePart(given, { group: "ldap" }, allowed);
      const config = checked({ identity: { driver: "ldap" }, ...options });
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        await deleteShownOptions(transaction, domainId, "ldap");
        await store(transaction, domainId, config);
        return readDomainConfig(transaction, domainId);
      });
    },

    async delete(domainId: string, path?: ConfigPath): Promise<void> {
      if (path !== undefined) checkPath(path, allowed);
      return database.transaction(async (transaction) => {
        await requireDomain(transaction, domainId);
        if (path !== undefined) await requireConfigured(transaction, domainId, path);
        await deleteConfig(transaction, domainId, path);
      });
    },

    /** Whether domains may have directories. If not, their users are those of the database, also users of a former directory. */
    usesDirectories: usesDrivers || defaultDirectory !== undefined,

    /** The domains whose users are in a directory. */
    async directoryConfigs(): Promise<DirectoryConfig[]> {
      const own = usesDrivers ? await ownConfigs() : [];
      if (defaultDirectory === undefined || (await hasOwnDriver(DEFAULT_DOMAIN_ID))) return own;
      const { ldap, readPassword } = defaultDirectory;
      return [
        ...own,
        { domainId: DEFAULT_DOMAIN_ID, isDefault: true, ldap, sealedPassword: undefined, readPassword },
      ];
    },

    /**
     * The directory of a domain for a check, whether or not it takes effect.
     *
     * @param given A configuration whose options replace those stored; none, if left out.
     * @throws {DomainConfigNotFoundError} Neither is there.
     */
    async directoryToCheck(domainId: string, given?: unknown): Promise<DirectoryConfig> {
      await requireDomain(database, domainId);
      const config = given === undefined ? {} : parseConfig(given, { withHidden: true });
      checkValues(config);
      const stored = (await ownConfigs()).find((each) => each.domainId === domainId);
      const isDefault = stored === undefined && domainId === DEFAULT_DOMAIN_ID;
      const known = stored ?? (isDefault && config["ldap"] === undefined ? defaultDirectory : undefined);
      if (known === undefined && config["ldap"] === undefined)
        throw new DomainConfigNotFoundError(domainId, { group: "ldap" });
      const { password, ...options } = config["ldap"] ?? {};
      // The stored password goes to the stored server alone.
      const isSameServer = options["url"] === undefined || options["url"] === known?.ldap["url"];
      return {
        domainId,
        isDefault,
        ldap: { ...known?.ldap, ...options },
        sealedPassword: undefined,
        readPassword: () =>
          typeof password === "string" ? password : isSameServer ? known?.readPassword() : undefined,
      };
    },

    /** The page size of lists of a domain's users and groups, if its configuration sets one that takes effect. */
    async listLimitOf(domainId: string | undefined): Promise<number | undefined> {
      if (!usesDrivers || domainId === undefined) return undefined;
      return (await limits.get("", () => listLimitsOfDomains(database))).get(domainId);
    },

    /** @throws {ForeignDriverError} The domain's users are where this service does not find them. */
    requireSqlDriver: async (domainId: string): Promise<void> => {
      const drivers = await foreignDrivers.get("", () => listForeignDrivers(database));
      const driver = drivers.get(domainId);
      const use = { usesDrivers, hasDefaultDirectory: defaultDirectory !== undefined };
      if (driver !== undefined && isForeign({ domainId, driver }, use))
        throw new ForeignDriverError(domainId, driver);
    },
  };
}

/** @throws {DomainConfigNotFoundError} */
async function requireConfigured(queries: Queries, domainId: string, path: ConfigPath): Promise<void> {
  if (!(await isConfigured(queries, domainId, path))) throw new DomainConfigNotFoundError(domainId, path);
}

function passwordIn(secret: Buffer): string | undefined {
  return (JSON.parse(secret.toString("utf8")) as string | null) ?? undefined;
}
