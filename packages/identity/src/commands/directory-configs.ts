/** The configurations of all directories, for commands. */
import type { Config } from "../config.js";
import { masterKeyOf } from "../master-key-of.js";
import { defaultDirectoryOf } from "../domain-config/default-directory.js";
import { createDomainConfigService, type DirectoryConfig } from "../domain-config/domain-config-service.js";
import type { Database } from "../platform/database/database.js";

/** Those of domains whether or not they take effect, and that of the settings. @throws {MasterKeyError} */
export async function openDirectoryConfigs(config: Config, database: Database): Promise<DirectoryConfig[]> {
  const masterKey = await masterKeyOf(config, database);
  const defaultDirectory = defaultDirectoryOf(config.defaultDirectory);
  const deps = { database, masterKey, usesDrivers: true, defaultDirectory };
  return createDomainConfigService(deps).directoryConfigs();
}
