import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Where the repository has texts of its own. */
const PLACES = ["", "docs", "docs/decisions", "packages/hamkit", "packages/country-data"];

const documents = PLACES.flatMap((place) =>
  readdirSync(join(root, place))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(place, name)),
);

function textOf(document: string): string {
  return readFileSync(join(root, document), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
}

/** The fragments that lead to a document's headings. */
function fragmentsOf(document: string): string[] {
  return [...textOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** What a document's link leads to, unless that is on another server. */
function linksIn(document: string): { link: string; path: string; fragment: string | undefined }[] {
  return [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = "", fragment] = link.split("#");
      return { link, path: path === "" ? document : join(dirname(document), path), fragment };
    });
}

describe("the documents", () => {
  it.each(documents)("have no dead links: %s", (document) => {
    const dead = linksIn(document).filter(
      ({ path, fragment }) =>
        !existsSync(join(root, path)) ||
        (fragment !== undefined && path.endsWith(".md") && !fragmentsOf(path).includes(fragment)),
    );
    expect(dead).toEqual([]);
  });

  it("are linked to each other", () => {
    expect(documents.flatMap((document) => linksIn(document)).length).toBeGreaterThan(30);
  });
});

describe("docs/differences.md", () => {
  const tests = ["hamkit/test", "hamkit/test-system", "identity/test"]
    .map((name) => join(root, "packages", name))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const rules = [...textOf("docs/differences.md").matchAll(/^### (.*)$/gm)].map(([, rule = ""]) => rule);

  it("has rules", () => {
    expect(rules.length).toBeGreaterThan(90);
    expect(new Set(rules).size).toBe(rules.length);
  });

  it.each(rules)("has a test of the same name: %s", (rule) => {
    expect(tests.includes(rule)).toBe(true);
  });
});

describe("paths in documents", () => {
  /** Paths in backticks, in the section of a package relative to its sources, elsewhere to the root. */
  function pathsIn(document: string): string[] {
    let folder = "packages/hamkit/src";
    return textOf(document)
      .split("\n")
      .flatMap((line) => {
        if (line.startsWith("## "))
          folder = line.includes("identity") ? "packages/identity/src" : "packages/hamkit/src";
        return [...line.matchAll(/`([\w-]+(?:[/.][\w./-]*)+)`/g)]
          .map(([, path = ""]) => path)
          .filter((path) => path.includes("/") || path.endsWith(".ts"))
          .map((path) => (path.startsWith("packages/") ? path : join(folder, path)));
      });
  }

  it.each(["docs/architecture.md", "docs/glossary.md"])("exist: %s", (document) => {
    const paths = pathsIn(document);
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("end each row of the glossary", () => {
    const [hamkit = "", identity = ""] = textOf("docs/glossary.md").split(/^## identity$/m);
    const rows = (text: string) => text.match(/^\| (?!term|-).*$/gm) ?? [];
    const missing = (folder: string, text: string) =>
      rows(text).filter((row) => {
        const [, path] = /\| `([\w./-]+)` +\|$/.exec(row) ?? [];
        return path === undefined || !existsSync(join(root, folder, path));
      });
    expect(missing("packages/hamkit/src", hamkit)).toEqual([]);
    expect(missing("packages/identity/src", identity)).toEqual([]);
    expect(rows(hamkit).length + rows(identity).length).toBeGreaterThan(100);
  });
});
