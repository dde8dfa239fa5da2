/** Opens a database by its URL. */
import type { Database } from "./database.js";
import { openPostgres, type PostgresOptions } from "./postgres/postgres.js";
import { openSqlite } from "./sqlite/sqlite.js";

/**
 * A SQLite file is created if it does not exist, with its folder, readable by the owner only; PostgreSQL is connected at the first
 * query.
 *
 * @param url `sqlite:PATH`, or `postgres://...` as libpq takes it.
 * @throws {DatabaseUnavailable} The file can't be opened.
 * @throws {TypeError} The URL is neither. The message does not show the URL, which may contain a password.
 */
export function openDatabase(url: string, options: PostgresOptions = {}): Database {
  if (url.startsWith("sqlite:")) return openSqlite(url.slice("sqlite:".length), options);
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres(url, options);
  throw new TypeError("a database is sqlite:PATH or postgres://...");
}
