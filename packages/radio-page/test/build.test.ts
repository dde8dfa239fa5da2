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
/** What is loaded for live spots and for the awards of a log, when they are used. */
const ON_DEMAND = /^assets\/(?:live|live-worker|server-events|direct-sources|mqtt\.esm|log-needs)-/;
/** A service that is asked needs a network: its client is not kept. */
const NOT_KEPT = /^assets\/mqtt\.esm-/;

const textOf = (name: string) => readFileSync(`${dist}${name}`, "utf8");

describe.skipIf(!isBuilt)("the built page", () => {
  const sizeOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(`${dist}${name}`)).length, 0);
  const sent = files.filter((name) => !NOT_LOADED.includes(name));

  it("has at most 209 kB when compressed, with its data, without what only live spots and awards need", () => {
    expect(sizeOf(sent.filter((name) => !ON_DEMAND.test(name)))).toBeLessThanOrEqual(209_000);
  });

  it("loads at most 80 kB more for live spots and the awards of a log, and 100 kB to ask PSK Reporter", () => {
    const live = sent.filter((name) => ON_DEMAND.test(name));
    expect(live.length).toBeGreaterThanOrEqual(5);
    expect(sizeOf(live.filter((name) => !NOT_KEPT.test(name)))).toBeLessThanOrEqual(80_000);
    expect(sizeOf(live.filter((name) => NOT_KEPT.test(name)))).toBeLessThanOrEqual(100_000);
  });

  it("may be in any folder of a server: every path is relative", () => {
    const html = textOf("index.html");
    const paths = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(path).toMatch(/^\.\//);
    for (const name of files.filter((file) => file.endsWith(".js")))
      expect(textOf(name)).not.toMatch(/["'`]\/assets\//);
  });

  it("keeps every file that is of use without a network", () => {
    const [, list = "[]"] = /const FILES ?= ?(\[.*?\]);/.exec(textOf("service-worker.js")) ?? [];
    const kept = (JSON.parse(list) as string[]).map((name) => (name === "./" ? "index.html" : name));
    expect(kept.sort()).toEqual(
      files
        .filter((name) => ![...NOT_LOADED, "service-worker.js"].includes(name) && !NOT_KEPT.test(name))
        .sort(),
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
