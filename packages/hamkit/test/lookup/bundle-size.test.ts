/** What a web page loads that imports some functions of a module. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const sources = fileURLToPath(new URL("../../src/", import.meta.url));

/** The minified code of a program with these imports, without the data of the country file. */
async function bundleOf(names: string, module = "lookup"): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from "./${module}.ts"`, resolveDir: sources, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["node:*", "@hamkit/country-data"],
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

describe("the bundle", () => {
  it.each([
    ["identify", "lookup", 4800],
    ["identify, loadEmbeddedCountryFile", "lookup", 7700],
    ["explain, explanationText", "lookup", 11_000],
    ["createAwardCounter, needs, needsText, spotContact", "awards", 44_000],
    ["createContest", "contest", 14_000],
    ["parseElements, squaresInView, downlinkHeard", "satellites", 3000],
    ["uploadLog", "uploads", 4500],
    ["decodeN1mm, encodeN1mm, recordOfN1mm", "n1mm", 6200],
    ["matchReport, mergeLogs", "merge", 8500],
  ])("of %s of hamkit/%s has at most %i bytes, compressed", async (names, module, limit) => {
    const { length } = gzipSync(await bundleOf(names, module));
    expect(length).toBeLessThan(limit);
    expect(length).toBeGreaterThan(limit / 2);
  });

  it("of identify has nothing of the explanations", async () => {
    const marks = ["shared-prefix", "entry-first", "VK9"];
    const present = async (names: string): Promise<string[]> => {
      const code = Buffer.from(await bundleOf(names)).toString();
      return marks.filter((mark) => code.includes(mark));
    };
    expect(await present("identify, loadEmbeddedCountryFile")).toEqual(["VK9"]);
    expect(await present("explain")).toEqual(marks);
  });
});
