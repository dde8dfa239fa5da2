/** The pages of the console, as the router and the rail have them. */
import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { routes } from "../src/app/routes.ts";

const rail = routes.flatMap(({ rail: entry }) => (entry === undefined ? [] : [entry]));

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) < index);
}

describe("the pages", () => {
  it("have paths of their own, and none is hidden by one before it", () => {
    expect(repeated(routes.map(({ path }) => path))).toEqual([]);
    const hidden = routes.filter(({ path }, index) =>
      routes.slice(0, index).some(({ path: earlier }) => {
        const pattern = earlier.replaceAll(/\/:\w+\?/g, "(/[^/]+)?").replaceAll(/:\w+/g, "[^/]+");
        return new RegExp(`^${pattern}$`).test(path);
      }),
    );
    expect(hidden.map(({ path }) => path)).toEqual([]);
  });

  it("have keys and icons of their own in the rail", () => {
    expect(repeated(rail.map(({ key }) => key))).toEqual([]);
    expect(repeated(rail.map(({ icon }) => icon))).toEqual([]);
  });

  it("are all in docs/console.md that are in the rail", () => {
    const document = readFileSync(new URL("../../../docs/console.md", import.meta.url), "utf8");
    const missing = routes.filter(
      ({ title, rail: entry }) => entry !== undefined && !document.includes(title),
    );
    expect(missing.map(({ title }) => title)).toEqual([]);
  });

  it("are all files of src/pages that end in Page", () => {
    const files = readdirSync(new URL("../src/pages", import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("Page.svelte") && !path.includes("sign-in/"))
      .map((path) => `../pages/${path}`);
    const listed = readFileSync(new URL("../src/app/routes.ts", import.meta.url), "utf8");
    expect(files.filter((path) => !listed.includes(`import("${path}")`))).toEqual([]);
  });
});
