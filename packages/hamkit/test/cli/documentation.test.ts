import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { hamkit } from "./world.js";

const page = readFileSync(new URL("../../../../docs/command-line.md", import.meta.url), "utf8");

/** Blocks of a command line and what it writes. */
const sessions = [...page.matchAll(/^```console\n\$ hamkit (.*)\n([^]*?)^```$/gm)].map(
  ([, line = "", output = ""]) => ({ line, output }),
);

/** The embedded data may be newer than the page. */
function withoutRelease(text: string): string {
  return text.replaceAll(/VER\d{8}/g, "VER").replaceAll(/VER of [\d-]{10}|"date": "[\d-]{10}"/g, "DATE");
}

describe("docs/command-line.md", () => {
  it("shows sessions", () => {
    expect(sessions.length).toBeGreaterThan(12);
  });

  it.each(sessions)("shows what `hamkit $line` writes", async ({ line, output }) => {
    const offline = /^(?:call|path|sun) /.test(line) ? ["--offline"] : [];
    const env = { HAMKIT_CACHE_DIR: "no-such-folder" };
    const { stdout, stderr } = await hamkit([...line.split(" "), ...offline], { env });
    expect(withoutRelease(stdout + stderr)).toBe(withoutRelease(output));
  });
});
