/** The master key of the settings, for commands. */
import type { Database } from "./platform/database/database.js";
import type { MasterKey } from "./platform/secrets/sealing.js";
import type { MasterKeySettings } from "./platform/secrets/sources/key-settings.js";
import { createKeySources, type KeySources } from "./platform/secrets/sources/key-sources.js";
import { listSigningKeys } from "./tokens/signing-keys.js";

interface MasterKeyOptions {
  /** Those of the settings, if left out. */
  readonly sources?: KeySources;
  /** Whether a missing key is created, as long as the database has no sealed secrets. */
  readonly mayCreate?: boolean;
}

/**
 * The master key in force, from whatever source has it.
 *
 * @throws {MasterKeyError} {@link KeySourceError}
 */
export async function masterKeyOf(
  settings: MasterKeySettings,
  database: Database,
  { sources = createKeySources(settings), mayCreate = false }: MasterKeyOptions = {},
): Promise<MasterKey> {
  const isEmpty = mayCreate && (await listSigningKeys(database)).length === 0;
  return sources.load(database, { mayCreate: isEmpty });
}
