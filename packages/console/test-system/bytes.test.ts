/** What a browser loads before the first page is usable, by the built files. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, "utf8")) as Record<string, Chunk>;

/** A chunk with everything that it imports at once, as files. */
function filesOf(...names: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const chunk = manifest[name];
    if (chunk === undefined || seen.has(name)) continue;
    seen.add(name);
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    waiting.push(...(chunk.imports ?? []));
  }
  return files;
}

function gzippedBytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(dist + file), { level: 9 }).length, 0);
}

const pages = Object.keys(manifest).filter((name) => /^src\/pages\/[\w-]+\/\w+Page\.svelte$/.test(name));

describe("the first load", () => {
  it("finds the pages in the build", () => {
    expect(pages.length).toBeGreaterThan(8);
  });

  it.each(pages)("with %s has at most 120 KB, compressed", (page) => {
    expect(gzippedBytes(["index.html", ...filesOf("index.html", page)])).toBeLessThanOrEqual(120 * 1024);
  });

  it("leaves pages to be loaded when they are opened", () => {
    const first = filesOf("index.html");
    for (const page of pages) expect(first.has(manifest[page]?.file ?? "")).toBe(false);
  });
});

describe("the page", () => {
  const html = readFileSync(`${dist}index.html`, "utf8");

  it("has no inline script or style, and loads nothing from elsewhere", () => {
    expect(html).not.toMatch(/<style|style=|javascript:|\son\w+=/i);
    expect(
      [...html.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, attributes, text]) => [
        / src="/.test(attributes ?? ""),
        text,
      ]),
    ).toEqual([[true, ""]]);
    expect(
      [...html.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, address]) => address?.startsWith("./")),
    ).toBe(true);
  });

  it("leaves a place for the nonce of each response", () => {
    expect(html).toContain('<meta property="csp-nonce" nonce="__CSP_NONCE__">');
  });
});
