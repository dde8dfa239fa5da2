import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** Built by `npm run build`. */
const isBuilt = existsSync(`${dist}index.html`);
const files = isBuilt
  ? readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/\/+/g, "/").slice(dist.length))
  : [];
/** What no page loads. */
const NOT_LOADED = ["licenses.txt", ".built-from"];

const textOf = (name: string) => readFileSync(`${dist}${name}`, "utf8");

describe.skipIf(!isBuilt)("the built page", () => {
  it("has at most 190 kB when compressed, with its data and everything that it may load", () => {
    const bytes = files
      .filter((name) => !NOT_LOADED.includes(name))
      .map((name) => gzipSync(readFileSync(`${dist}${name}`)).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(190_000);
  });

  it("may be in any folder of a server: every path is relative", () => {
    const html = textOf("index.html");
    const paths = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(path).toMatch(/^\.\//);
    for (const name of files.filter((file) => file.endsWith(".js")))
      expect(textOf(name)).not.toMatch(/["'`]\/assets\//);
  });

  it("keeps every file for use without a network", () => {
    const [, list = "[]"] = /const FILES ?= ?(\[.*?\]);/.exec(textOf("service-worker.js")) ?? [];
    const kept = (JSON.parse(list) as string[]).map((name) => (name === "./" ? "index.html" : name));
    expect(kept.sort()).toEqual(
      files.filter((name) => ![...NOT_LOADED, "service-worker.js"].includes(name)).sort(),
    );
  });

  it("has no scripts and styles in the page itself, and a policy against them", () => {
    const html = textOf("index.html");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    expect(html).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(html).not.toContain("unsafe");
  });

  it("loads nothing that it doesn't have", () => {
    const loaded: string[] = [];
    for (const name of files.filter((file) => /^assets\/.*\.js$/.test(file)))
      for (const [, path = ""] of textOf(name).matchAll(/(?:import|from)\(?["'`]\.\/([^"'`]+)["'`]/g))
        loaded.push(`assets/${path}`);
    expect(loaded.length).toBeGreaterThan(5);
    // Borders of zones and areas of entities, which no map of the page has.
    const isLeftOut = (name: string) => /^assets\/(?:zone-layer|entity-outlines)-/.test(name);
    expect(loaded.filter((name) => !files.includes(name) && !isLeftOut(name))).toEqual([]);
  });

  it("has the licenses of what it contains", () => {
    const text = textOf("licenses.txt");
    for (const name of ["preact 11", "Mike Bostock", "saxes"]) expect(text).toContain(name);
  });
});
