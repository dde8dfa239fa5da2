/**
 * Reads cty.dat, the format of contest loggers.
 *
 * An entity has a line `name: CQ: ITU: continent: latitude: longitude (west +): GMT offset: main prefix:`, followed by its
 * prefixes and calls up to a semicolon. A star before the main prefix marks entities of the WAE list, which lie in a DXCC
 * entity; their keys replace those of that entity.
 *
 * @see https://www.country-files.com/cty-dat-format/
 */
import { CountryFileError } from "../errors.js";
import { readAliases, type AliasDefaults } from "./country-file-alias.js";
import { eastward, type ReadRow } from "./country-file-row.js";
import { lineEndsIn, toNumber } from "../text/file-text.js";

const FIELDS = 8;

/** The rows of a cty.dat; those of WAE entities last. */
export function* readDat(text: string, file: string): Generator<ReadRow> {
  const wae: ReadRow[] = [];
  let line = 1;
  for (let before = 0, position = skipBlank(text, 0); position < text.length;) {
    line += lineEndsIn(text.slice(before, position));
    before = position;
    const end = text.indexOf(";", position);
    if (end < 0) {
      throw new CountryFileError({
        file,
        line,
        expected: "an entity's prefixes up to a semicolon",
        found: "the end of the file",
      });
    }
    const { rows, isWae } = readEntity(text.slice(position, end), `line ${line}`);
    if (isWae) wae.push(...rows);
    else yield* rows;
    position = skipBlank(text, end + 1);
  }
  yield* wae;
}

function readEntity(text: string, where: string): { rows: Iterable<ReadRow>; isWae: boolean } {
  const parts = text.split(":");
  const [name = "", cqz, ituz, continent = "", latitude, longitude, , prefix = ""] = parts.map((part) =>
    part.trim(),
  );
  if (parts.length !== FIELDS + 1) {
    const problem = `${where}: expected an entity line of ${FIELDS} fields that end in colons, found ${parts.length - 1}`;
    return { rows: [{ problem }], isWae: false };
  }
  const isWae = prefix.startsWith("*");
  const defaults: AliasDefaults = {
    country: name,
    adif: undefined,
    mainPrefix: prefix.replace(/^\*/, ""),
    isWae,
    continent,
    cqz: toNumber(cqz),
    ituz: toNumber(ituz),
    latitude: toNumber(latitude),
    longitude: eastward(toNumber(longitude)),
  };
  const aliases = (parts[FIELDS] ?? "").split(",").map((alias) => alias.replaceAll(/\s+/g, ""));
  return { rows: readAliases(aliases, defaults, where), isWae };
}

function skipBlank(text: string, start: number): number {
  let position = start;
  while (position < text.length && text.charCodeAt(position) <= 32) position++;
  return position;
}
