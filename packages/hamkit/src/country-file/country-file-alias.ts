/**
 * One prefix or call of a country file, with what it has of its own: `=VE3EXY(5)[9]<44.30/78.32>{NA}~5.0~`.
 *
 * `=` marks a complete call; then, in any order, CQ zone, ITU zone, latitude and longitude (west positive), continent
 * and time zone, each where it differs from the entity's.
 */
import { eastward, type CountryFileRow, type ReadRow } from "./country-file-row.js";
import { toNumber } from "../text/file-text.js";

/** What holds for all keys of an entity. */
export type AliasDefaults = Omit<CountryFileRow, "keys" | "exact">;

const ALIAS = /^(=?)([A-Za-z0-9/]+)((?:\([^)]*\)|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|~[^~]*~)*)$/;
const OWN_VALUE = /\(([^)]*)\)|\[([^\]]*)\]|<([^/>]*)\/([^>]*)>|\{([^}]*)\}|~[^~]*~/g;

/** The rows of an entity's keys. An empty one (a trailing comma) is no fault. */
export function* readAliases(
  aliases: readonly string[],
  defaults: AliasDefaults,
  where: string,
): Generator<ReadRow> {
  for (const alias of aliases) {
    if (alias === "") continue;
    const match = ALIAS.exec(alias);
    if (match === null) {
      yield { problem: `${where}: expected a prefix or call with zones, found ${JSON.stringify(alias)}` };
      continue;
    }
    const [, mark, key = "", own = ""] = match;
    yield { keys: [key], exact: mark === "=", ...defaults, ...(own === "" ? undefined : ownValues(own)) };
  }
}

function ownValues(text: string): Partial<CountryFileRow> {
  const values: { -readonly [Name in keyof CountryFileRow]?: CountryFileRow[Name] } = {};
  for (const [, cqz, ituz, latitude, longitude, continent] of text.matchAll(OWN_VALUE)) {
    if (cqz !== undefined) values.cqz = toNumber(cqz);
    if (ituz !== undefined) values.ituz = toNumber(ituz);
    if (latitude !== undefined) values.latitude = toNumber(latitude);
    if (longitude !== undefined) values.longitude = eastward(toNumber(longitude));
    if (continent !== undefined) values.continent = continent;
  }
  return values;
}
