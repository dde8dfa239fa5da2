/** Opens a Keystone's database by its address. */
import { ImportError } from "../import-errors.js";
import type { KeystoneSource } from "./keystone-source.js";
import { openMysqlSource } from "./mysql-source.js";
import { openPostgresSource } from "./postgres-source.js";
import { parseSourceAddress } from "./source-address.js";

/**
 * Connects, and takes the snapshot.
 *
 * @param url `mysql://`, `postgres://`, or as in `[database] connection` of keystone.conf: `mysql+pymysql://`.
 * @throws {ImportError} The address is malformed, or the database can't be reached. No message contains the address.
 */
export async function openKeystoneSource(url: string): Promise<KeystoneSource> {
  const address = parseSourceAddress(url);
  const source = await (address.kind === "mysql" ? openMysqlSource : openPostgresSource)(address.url);
  return { ...source, read: (query) => readReported(source, query) };
}

/** @throws {ImportError} The connection is lost, or the user may not read a table. */
async function* readReported(source: KeystoneSource, query: string): ReturnType<KeystoneSource["read"]> {
  try {
    yield* source.read(query);
  } catch (error) {
    throw new ImportError(
      "import/interrupted",
      "Keystone's database stopped answering: nothing was changed, and the import can be repeated",
      { cause: error },
    );
  }
}
