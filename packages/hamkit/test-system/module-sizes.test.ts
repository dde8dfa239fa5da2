/** The table of docs/guide-web-map.md: what a browser loads of each built module, whole and compressed. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const chunks = join(packages, "hamkit/dist/chunks");
const page = readFileSync(join(packages, "../docs/guide-web-map.md"), "utf8");
const rows = [...page.matchAll(/^\| (.+?) +\| (\d+) +\| (\d+) +\|$/gm)];

/** A file and all that it imports. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/^(?:(?:import|export)\s[^"]*?from|import) ?"(\.[^"]+)"/gm))
    loadedBy(join(dirname(file), path), seen);
  return seen;
}

const moduleOf = (name: string) => [join(packages, `hamkit/dist/${name}.js`)];
const COUNTRY_FILE = [join(packages, "country-data/dist/index.js")];
const FIRST_MAP = readdirSync(chunks)
  .filter((name) => /^render-map-\w+\.js$/.test(name))
  .map((name) => join(chunks, name));

function filesOf(row: string): readonly string[] {
  const [, name] = /^`hamkit\/(\w+)`$/.exec(row) ?? [];
  if (name !== undefined) return moduleOf(name);
  return row === "the country file" ? COUNTRY_FILE : [...moduleOf("map"), ...FIRST_MAP];
}

it.each(rows.map(([, row = "", size = "", compressed = ""]) => ({ row, size, compressed })))(
  "are what the page says: $row",
  ({ row, size, compressed }) => {
    const files = new Set<string>();
    for (const file of filesOf(row)) loadedBy(file, files);
    const contents = [...files].map((file) => readFileSync(file));
    const found = [
      contents.map(({ length }) => length),
      contents.map((content) => gzipSync(content).length),
    ].map((lengths) => Math.round(lengths.reduce((sum, length) => sum + length, 0) / 1000));
    const isNear = [size, compressed].every(
      (shown, index) => Math.abs((found[index] ?? 0) / Number(shown) - 1) < 0.15,
    );
    expect({ row, found, isNear }).toMatchObject({ isNear: true });
  },
);

it("has six rows", () => expect(rows).toHaveLength(6));
