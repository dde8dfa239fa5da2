/**
 * Reads the aliases of a country file: a prefix or call with the values that override the entity's, such as
 * `=VE3EXY(5)[9]<44.30/78.32>{NA}~5.0~`.
 *
 * `=` marks a complete call; then follow, in any order, CQ zone, ITU zone, latitude and longitude (west positive), continent
 * and time zone.
 */
import { eastward, type CountryFileRow, type ReadRow } from "./country-file-row.js";
import { toNumber } from "../text/file-text.js";

/** The values of an entity, which its aliases may override. */
export type AliasDefaults = Omit<CountryFileRow, "keys" | "exact">;

const ALIAS = /^(=?)([A-Za-z0-9/]+)((?:\([^)]*\)|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|~[^~]*~)*)$/;
const OVERRIDE = /\(([^)]*)\)|\[([^\]]*)\]|<([^/>]*)\/([^>]*)>|\{([^}]*)\}|~[^~]*~/g;

/** The rows of an entity's aliases. An empty alias (a trailing comma) is ignored. */
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
    const [, mark, key = "", overrides = ""] = match;
    yield {
      keys: [key],
      exact: mark === "=",
      ...defaults,
      ...(overrides === "" ? undefined : readOverrides(overrides)),
    };
  }
}

function readOverrides(text: string): Partial<CountryFileRow> {
  const values: { -readonly [Name in keyof CountryFileRow]?: CountryFileRow[Name] } = {};
  for (const [, cqz, ituz, latitude, longitude, continent] of text.matchAll(OVERRIDE)) {
    if (cqz !== undefined) values.cqz = toNumber(cqz);
    if (ituz !== undefined) values.ituz = toNumber(ituz);
    if (latitude !== undefined) values.latitude = toNumber(latitude);
    if (longitude !== undefined) values.longitude = eastward(toNumber(longitude));
    if (continent !== undefined) values.continent = continent;
  }
  return values;
}
