/** How much of a table another one lacks: files of call sign data have no checksum, but most entries of one version are in the next. */
import type { TableContent, TableSource } from "./ports.js";

/**
 * What to tell a user of entries that the version before had; `undefined` where none is missing.
 *
 * @param name What the file is called in messages.
 */
export function missingEntries(name: string, before: TableSource, after: TableSource): string | undefined {
  const old = keysOf(before.content());
  const kept = keysOf(after.content());
  const missing = [...old].filter((key) => !kept.has(key)).length;
  if (missing === 0) return undefined;
  return `${name}: ${missing} of the ${old.size} entries of ${before.name} are missing in ${after.name}`;
}

/** The keys of a table, with the section that each is of. */
function keysOf({ calls, prefixes, invalidOperations = [], zoneExceptions = [], entities }: TableContent) {
  const keys = new Set<string>();
  for (const { key } of calls) keys.add(`call ${key}`);
  for (const { key } of prefixes) keys.add(`prefix ${key}`);
  for (const { key } of invalidOperations) keys.add(`invalid ${key}`);
  for (const { key } of zoneExceptions) keys.add(`zone ${key}`);
  for (const { adif } of entities) keys.add(`entity ${adif}`);
  return keys;
}
