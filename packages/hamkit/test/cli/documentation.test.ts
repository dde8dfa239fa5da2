import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { PARKS } from "../references/lists.js";
import { keepFile, keepPublicFiles, temporaryFolder } from "./public-files.js";
import { hamkit } from "./run-cli.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const documents = ["", "docs", "packages/hamkit"].flatMap((place) =>
  readdirSync(join(root, place), { recursive: place === "docs", encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(place, name)),
);

/** Blocks of a command line, what it reads up to the word END, and what it writes. */
const sessions = documents.flatMap((document) =>
  [
    ...readFileSync(join(root, document), "utf8").matchAll(
      /^```console\n\$ hamkit (.*?)(?: << END\n([^]*?)^END)?\n([^]*?)^```$/gm,
    ),
  ].map(([, line = "", input = "", output = ""]) => ({ document, line, input, output })),
);
/** Files that commands read, with their names. */
const FILES = /^```(?:adif|cabrillo|fle|tle) (\S+)\n([^]*?)^```$/gm;
/** It listens: `wsjtx-command.test.ts` sends it the datagrams that it shows. */
const LISTENS = /^wsjtx\b(?! --help)/;

/** Has the lists that commands would download, and the files that pages show. */
const folder = temporaryFolder();
const start = process.cwd();
beforeAll(async () => {
  await keepPublicFiles(folder.path);
  const parks = { name: "references-pota", url: "https://pota.app/all_parks_ext.csv", content: PARKS };
  await keepFile(folder.path, parks);
  for (const document of documents)
    for (const [, name = "", text = ""] of readFileSync(join(root, document), "utf8").matchAll(FILES))
      await writeFile(join(folder.path, name), text);
  process.chdir(folder.path);
});
afterAll(() => process.chdir(start));

/** Data may be newer than the page, and lists longer than those of the tests. */
function withoutRelease(text: string): string {
  return text
    .replaceAll(/\d+ references of POTA, checked [\d-]{10}/g, "N references of POTA, checked DATE")
    .replaceAll(/VER\d{8}/g, "VER")
    .replaceAll(/VER of [\d-]{10}|"date": "[\d-]{10}"/g, "DATE");
}

describe("the documents", () => {
  it("show sessions", () => {
    expect(sessions.length).toBeGreaterThan(28);
  });

  it.each(sessions.filter(({ line }) => !LISTENS.test(line)))(
    "show what `hamkit $line` writes: $document",
    async ({ line, input, output }) => {
      const offline =
        !line.endsWith("--help") &&
        /^(?:annotate|awards|call|contest (?:score|check|rate)|path|sun|spots|[A-Z0-9]+)\b/.test(line)
          ? ["--offline"]
          : [];
      const options = { env: { HAMKIT_CACHE_DIR: folder.path }, stdin: [input] };
      const { stdout, stderr } = await hamkit([...line.split(" "), ...offline], options);
      expect(withoutRelease(stdout + stderr)).toBe(withoutRelease(output));
    },
  );
});
