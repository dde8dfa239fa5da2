/** Opens a Keystone's database by its address. */
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
export function openKeystoneSource(url: string): Promise<KeystoneSource> {
  const address = parseSourceAddress(url);
  return address.kind === "mysql" ? openMysqlSource(address.url) : openPostgresSource(address.url);
}
