/** From an address to an open database. */
import type { Database, DatabaseEvents } from "./database.js";
import { openPostgres } from "./postgres/postgres.js";
import { openSqlite } from "./sqlite/sqlite.js";

/**
 * Opens a database. A SQLite file is created where there is none, with its folder, for the owner's eyes alone; PostgreSQL is
 * reached at the first query.
 *
 * @param url `sqlite:PATH`, or `postgres://...` as libpq takes it.
 * @throws {DatabaseUnavailable} The file can't be opened.
 * @throws {TypeError} The address is neither. Its message shows nothing of the address, which may hold a password.
 */
export function openDatabase(url: string, events: DatabaseEvents = {}): Database {
  if (url.startsWith("sqlite:")) return openSqlite(url.slice("sqlite:".length));
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres(url, events);
  throw new TypeError("a database is sqlite:PATH or postgres://...");
}
