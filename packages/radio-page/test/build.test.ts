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
/** What is loaded when it is used: live spots, layers of the map, sun and moon, awards, panels. */
const ON_DEMAND =
  /^assets\/(?:live|live-worker|read-server-events|direct-sources|mqtt\.esm|zone-layer|area-layers|sky-facts|award-progress)-/;
/** Kept when it is used first. */
const KEPT_LATER = /^assets\/(?:zone-layer|area-layers)-/;
/** A service that is asked needs a network: its client is not kept. */
const NOT_KEPT = /^assets\/mqtt\.esm-/;
/** What the page needs to show a call that is in its link. */
const FIRST = /^(?:index\.html|assets\/(?:index|radio-worker|draw|render-map|shared|search|dist)-.*)$/;

const textOf = (name: string) => readFileSync(`${dist}${name}`, "utf8");

describe.skipIf(!isBuilt)("the built page", () => {
  const sizeOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(`${dist}${name}`)).length, 0);
  const sent = files.filter((name) => !NOT_LOADED.includes(name));

  it("first loads at most 168 kB when compressed: a tenth more than before panels and layers", () => {
    expect(sent.filter((name) => FIRST.test(name)).length).toBeGreaterThanOrEqual(8);
    expect(sizeOf(sent.filter((name) => FIRST.test(name)))).toBeLessThanOrEqual(168_000);
    // Without a call: neither the country file nor the lookup.
    const withoutCall = sent.filter((name) => FIRST.test(name) && !/^assets\/(?:dist|search)-/.test(name));
    expect(sizeOf(withoutCall)).toBeLessThanOrEqual(90_500);
  });

  it("keeps at most 295 kB for use without a network, 5 of them for FLE, and each layer when it is used", () => {
    const later = sent.filter((name) => KEPT_LATER.test(name));
    expect(later).toHaveLength(2);
    expect(sizeOf(later)).toBeLessThanOrEqual(170_000);
    expect(sizeOf(sent.filter((name) => !KEPT_LATER.test(name) && !NOT_KEPT.test(name)))).toBeLessThanOrEqual(
      295_000,
    );
  });

  it("loads at most 90 kB more for live spots, sun, moon and awards, and 100 kB to ask PSK Reporter", () => {
    const live = sent.filter((name) => ON_DEMAND.test(name) && !KEPT_LATER.test(name));
    expect(live.length).toBeGreaterThanOrEqual(5);
    expect(sizeOf(live.filter((name) => !NOT_KEPT.test(name)))).toBeLessThanOrEqual(90_000);
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
    const [, later = "[]"] = /const LATER ?= ?(\[.*?\]);/.exec(textOf("service-worker.js")) ?? [];
    const all = files.filter((name) => ![...NOT_LOADED, "service-worker.js"].includes(name));
    expect(kept.sort()).toEqual(all.filter((name) => !NOT_KEPT.test(name) && !KEPT_LATER.test(name)).sort());
    expect((JSON.parse(later) as string[]).sort()).toEqual(
      all.filter((name) => KEPT_LATER.test(name)).sort(),
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
    expect(loaded.filter((name) => !files.includes(name))).toEqual([]);
  });

  it("has the licenses of what it contains", () => {
    const text = textOf("licenses.txt");
    for (const name of ["preact 11", "Mike Bostock", "saxes", "astronomy-engine", "HB9HIL"])
      expect(text).toContain(name);
  });
});
