/**
 * Generates data/country-file.json from the country file in the development dependency @ham2k/lib-country-files.
 *
 * Run it after updating that dependency: `npm run generate -w @hamkit/country-data`, then the tests.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const packageFolder = join(dirname(require.resolve("@ham2k/lib-country-files")), "..");
const { version: packageVersion } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
const source = JSON.parse(readFileSync(join(packageFolder, "src/data/bigcty.json"), "utf8"));

/** Prefixes and calls of the WAE list replace the DXCC ones, as in the country files that loggers use. */
const prefixes = { ...source.prefix, ...source.prefixWAE };
const exact = { ...source.exact, ...source.exactWAE };

/** The date of the file is encoded as a call: VER20260530. */
const release = Object.keys(exact).find((call) => /^VER[0-9]{8}$/.test(call));
if (release === undefined)
  throw new Error("bigcty.json: expected an entry VERyyyymmdd with the date, found none");

const entityKeys = Object.keys(source.entities).sort();
const entities = entityKeys.map((key) => {
  const { name, dxccCode, continent, cqZone, ituZone, lat, lon, isWAE = false } = source.entities[key];
  // In the source west is positive; `|| 0` avoids a minus zero.
  return [key.replace(/^\*/, ""), name, dxccCode, continent, cqZone, ituZone, lat, -lon || 0, isWAE ? 1 : 0];
});

/** Keys with the same entity and zones share a group. */
const groups = new Map();
collect(prefixes, 3);
collect(exact, 4);

function collect(records, column) {
  for (const key of Object.keys(records).sort()) {
    const { p, c, i, ...rest } = records[key];
    if (Object.keys(rest).length > 0)
      throw new Error(`${key}: unexpected fields ${Object.keys(rest).join()}`);
    const index = entityKeys.indexOf(p);
    if (index < 0) throw new Error(`${key}: unknown entity ${p}`);
    const [, , , , cqz, ituz] = entities[index];
    const id = [index, c ?? cqz, i ?? ituz].join();
    if (!groups.has(id)) groups.set(id, [index, c ?? cqz, i ?? ituz, [], []]);
    groups.get(id)[column].push(key);
  }
}

const rows = [...groups.values()]
  .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  .map(([index, cqz, ituz, prefixKeys, calls]) => [index, cqz, ituz, prefixKeys.join(" "), calls.join(" ")]);

const lines = (list) => list.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
const date = release.replace(/^VER(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
writeFileSync(
  new URL("../data/country-file.json", import.meta.url),
  `{
  "format": 1,
  "release": ${JSON.stringify(release)},
  "date": ${JSON.stringify(date)},
  "credit": "AD1C country files, https://www.country-files.com, (c) Jim Reisert AD1C, MIT license",
  "source": ${JSON.stringify(`@ham2k/lib-country-files ${packageVersion}`)},
  "entities": [
${lines(entities)}
  ],
  "groups": [
${lines(rows)}
  ]
}
`,
);
console.log(`${release}: ${entities.length} entities, ${rows.length} groups`);
