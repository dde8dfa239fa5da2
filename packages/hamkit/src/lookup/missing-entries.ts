/** Detects incomplete files: they have no checksum, but most entries of one release are in the next. */
import type { TableContent, TableSource } from "./source.js";

/**
 * A warning with the number of entries of the previous release that are missing; `undefined` where none is.
 *
 * @param name The file, for messages.
 */
export function missingEntries(name: string, before: TableSource, after: TableSource): string | undefined {
  const old = keysOf(before.content());
  const kept = keysOf(after.content());
  const missing = [...old].filter((key) => !kept.has(key)).length;
  if (missing === 0) return undefined;
  return `${name}: ${missing} of the ${old.size} entries of ${before.name} are missing in ${after.name}`;
}

/** The keys of a table, each with its section. */
function keysOf({ calls, prefixes, invalidOperations = [], zoneExceptions = [], entities }: TableContent) {
  const keys = new Set<string>();
  for (const { key } of calls) keys.add(`call ${key}`);
  for (const { key } of prefixes) keys.add(`prefix ${key}`);
  for (const { key } of invalidOperations) keys.add(`invalid ${key}`);
  for (const { key } of zoneExceptions) keys.add(`zone ${key}`);
  for (const { adif } of entities) keys.add(`entity ${adif}`);
  return keys;
}
