/** The directories of domains, opened by their configuration and opened anew when it changes. */
import type { Platform } from "../area.js";
import type { DirectoryConfig, DomainConfigService } from "../domain-config/domain-config-service.js";
import { createBoundedQueue } from "../platform/concurrency/bounded-queue.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Directory, DirectoryConnections } from "./directory.js";
import { DirectoryFailure, DirectoryUnavailableError } from "./directory-errors.js";
import { createDirectoryReader, type DirectoryReader } from "./directory-reader.js";
import { readDirectorySettings } from "./directory-settings.js";
import { createLdapDirectory, type LdapConnectionSettings } from "./ldap/ldap-directory.js";
import { createCheckedUsers, type CheckedUsers } from "./checked-users.js";

/** A domain whose users are in a directory. */
export interface DomainDriver {
  readonly domainId: string;
  /** Whether it answers lists that name no domain. */
  readonly isDefault: boolean;
  /** @throws {DirectoryUnavailableError} The configuration is invalid. */
  readonly reader: () => DirectoryReader;
  readonly checked: CheckedUsers;
}

export interface DomainDriversDeps extends Pick<Platform, "database"> {
  readonly domainConfigs: Pick<DomainConfigService, "directoryConfigs">;
  readonly openDirectory?: (settings: LdapConnectionSettings) => Directory;
}

export type DomainDrivers = ReturnType<typeof createDomainDrivers>;

interface OpenDriver extends DomainDriver {
  readonly configuration: string;
  readonly use: () => DirectoryConnections | undefined;
  readonly close: () => void;
}

export function createDomainDrivers({
  database,
  domainConfigs,
  openDirectory = createLdapDirectory,
}: DomainDriversDeps) {
  const cache = createRevisionCache<ReadonlyMap<string, DomainDriver>>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });
  let open = new Map<string, OpenDriver>();
  /** One reading after the other: an earlier one that ends later would close what a later one has opened. */
  const readings = createBoundedQueue({ concurrency: 1, maxWaiting: Infinity });

  async function readAll(): Promise<ReadonlyMap<string, DomainDriver>> {
    const configs = await domainConfigs.directoryConfigs();
    const next = new Map(
      configs.map((config) => {
        const configuration = JSON.stringify([config.ldap, config.sealedPassword, config.isDefault]);
        const known = open.get(config.domainId);
        const driver = known?.configuration === configuration ? known : openDriver(config, configuration);
        return [config.domainId, driver];
      }),
    );
    for (const [id, driver] of open) if (next.get(id) !== driver) driver.close();
    open = next;
    return next;
  }

  function openDriver(config: DirectoryConfig, configuration: string): OpenDriver {
    let directory: Directory | undefined;
    let reader: DirectoryReader | undefined;
    return {
      domainId: config.domainId,
      isDefault: config.isDefault,
      configuration,
      checked: createCheckedUsers(),
      reader() {
        try {
          if (reader !== undefined) return reader;
          const settings = readDirectorySettings(config);
          directory = openDirectory(settings.connection);
          reader = createDirectoryReader(directory, settings);
          return reader;
        } catch (cause) {
          throw new DirectoryUnavailableError("The directory of the domain is unavailable.", {
            cause: new DirectoryFailure(`the configuration of domain ${config.domainId} is invalid`, {
              cause,
            }),
          });
        }
      },
      use: () => directory?.use(),
      close: () => directory?.close(),
    };
  }

  return {
    /** The domains with a directory, by id. */
    read: async (): Promise<ReadonlyMap<string, DomainDriver>> => cache.get("", () => readings.run(readAll)),
    /** Of the directories that are open. */
    uses: (): DirectoryConnections[] => [...open.values()].flatMap((driver) => driver.use() ?? []),
    close(): void {
      for (const driver of open.values()) driver.close();
    },
  };
}
