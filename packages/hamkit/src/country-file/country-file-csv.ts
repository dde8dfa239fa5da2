/**
 * Reads cty.csv, which has a line for each entity:
 * `prefix,name,ADIF,continent,CQ,ITU,latitude,longitude (west +),GMT offset,prefixes and calls separated by blanks;`.
 */
import { CountryFileError } from "../errors.js";
import { readAliases } from "./country-file-alias.js";
import { eastward, type ReadRow } from "./country-file-row.js";
import { toNumber } from "../text/file-text.js";

const FIELDS = 10;

/** The rows of a cty.csv; those of WAE entities last, because they replace rows of the DXCC entity that contains them. */
export function* readCsv(text: string, file: string): Generator<ReadRow> {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (!lines[last]?.trim().endsWith(";")) {
    throw new CountryFileError({
      file,
      line: last + 1,
      expected: "a semicolon at the end of the line",
      found: "none",
    });
  }
  const wae: ReadRow[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const rows = readLine(line.trim(), `line ${index + 1}`);
    if (line.startsWith("*")) wae.push(...rows);
    else yield* rows;
  }
  yield* wae;
}

function readLine(line: string, where: string): Iterable<ReadRow> {
  const parts = line.split(",");
  if (parts.length !== FIELDS || !line.endsWith(";")) {
    return [{ problem: `${where}: expected ${FIELDS} fields and a semicolon, found ${parts.length} fields` }];
  }
  const [prefix = "", country = "", adif, continent = "", cqz, ituz, latitude, longitude, , aliases = ""] =
    parts;
  const defaults = {
    country,
    adif: toNumber(adif),
    mainPrefix: prefix.replace(/^\*/, ""),
    isWae: prefix.startsWith("*"),
    continent,
    cqz: toNumber(cqz),
    ituz: toNumber(ituz),
    latitude: toNumber(latitude),
    longitude: eastward(toNumber(longitude)),
  };
  return readAliases(aliases.slice(0, -1).split(/\s+/), defaults, where);
}
