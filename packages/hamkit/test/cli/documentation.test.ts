import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keepPublicFiles, temporaryFolder } from "./public-files.js";
import { hamkit } from "./run-cli.js";

const page = readFileSync(new URL("../../../../docs/command-line.md", import.meta.url), "utf8");

/** Blocks of a command line, what it reads up to the word END, and what it writes. */
const sessions = [
  ...page.matchAll(/^```console\n\$ hamkit (.*?)(?: << END\n([^]*?)^END)?\n([^]*?)^```$/gm),
].map(([, line = "", input = "", output = ""]) => ({ line, input, output }));

/** Has the lists that commands would download, and the log that the page shows. */
const folder = temporaryFolder();
const start = process.cwd();
beforeAll(async () => {
  await keepPublicFiles(folder.path);
  const [, log = ""] = /^```adif\n([^]*?)^```$/m.exec(page) ?? [];
  await writeFile(join(folder.path, "mylog.adi"), log);
  process.chdir(folder.path);
});
afterAll(() => process.chdir(start));

/** The embedded data may be newer than the page. */
function withoutRelease(text: string): string {
  return text.replaceAll(/VER\d{8}/g, "VER").replaceAll(/VER of [\d-]{10}|"date": "[\d-]{10}"/g, "DATE");
}

describe("docs/command-line.md", () => {
  it("shows sessions", () => {
    expect(sessions.length).toBeGreaterThan(12);
  });

  it.each(sessions)("shows what `hamkit $line` writes", async ({ line, input, output }) => {
    const offline = /^(?:annotate|awards|call|path|sun|spots|[A-Z0-9]+)\b/.test(line) ? ["--offline"] : [];
    const options = { env: { HAMKIT_CACHE_DIR: folder.path }, stdin: [input] };
    const { stdout, stderr } = await hamkit([...line.split(" "), ...offline], options);
    expect(withoutRelease(stdout + stderr)).toBe(withoutRelease(output));
  });
});
