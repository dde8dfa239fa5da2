import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Texts of the repository's own: of the root, of each package, and all in docs. */
const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));
const documents = [
  ...["", ...packages].flatMap((place) => readdirSync(join(root, place)).map((name) => join(place, name))),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));

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

describe("the READMEs of packages on npm", () => {
  const published = packages.filter(
    (folder) =>
      !("private" in (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as object)),
  );

  it.each(published)(
    "have an installation, versions and license, and a library's lines that run: %s",
    (folder) => {
      const readme = readFileSync(join(root, folder, "README.md"), "utf8");
      const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      expect(headings).toEqual(expect.arrayContaining(["Install", "Versions", "License"]));
      if (folder.includes("identity")) return;
      expect(headings).toContain("Ten lines");
      expect(readme).toMatch(/^```ts$/m);
    },
  );

  it.each(packages)("have a package.json with addresses and words to search for: %s", (folder) => {
    const description = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as object;
    expect(description).toMatchObject({
      homepage: expect.any(String) as string,
      bugs: { url: expect.any(String) as string },
      repository: { directory: folder },
      keywords: expect.arrayContaining([expect.any(String)]) as string[],
    });
  });
});

describe("blocks of output in the documents", () => {
  /** Blocks without a language or of plain text, and where they are compared, or why they are not. */
  const OTHERS: Readonly<Record<string, string>> = {
    "docs/differences.md": "calls that the test of the comparison reads from there",
    "docs/guide-radio-page.md": "an address, no output",
    "docs/identity/heat.md": "lines of another program's log",
    "docs/identity/policy.md": "compared by identity/test/policy/policy-rules-page.test.ts",
    "packages/identity/README.md": "compared by identity/test/welcome.test.ts",
  };
  const blocks = documents.flatMap((document) =>
    [...readFileSync(join(root, document), "utf8").matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(
      ([, language = "", body = ""]) => ({ document, language, body }),
    ),
  );

  it("are sessions, which are run: test/cli/documentation.test.ts", () => {
    const sessions = blocks.filter(({ language, body }) => language === "console" || /^\$ /m.test(body));
    expect(sessions.length).toBeGreaterThan(28);
    for (const { document, language, body } of sessions) {
      expect({ document, language, body }).toMatchObject({
        language: "console",
        body: expect.stringMatching(/^\$ hamkit /) as string,
      });
      // Tests of the other package's documents would have to run them.
      expect(document).not.toContain("identity");
    }
  });

  it("that are no sessions are listed here, with the reason", () => {
    const plain = blocks.filter(({ language }) => ["", "text", "output"].includes(language));
    expect(new Set(plain.map(({ document }) => document))).toEqual(new Set(Object.keys(OTHERS)));
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
  const sourcesOf = (heading: string): string =>
    heading === "## deploy and scripts"
      ? ""
      : `packages/${/identity-import|identity|console/.exec(heading)?.[0] ?? "hamkit"}/src`;

  /** Paths in backticks, in the section of a package relative to its sources, in that of deploy and scripts to the root. */
  function pathsIn(document: string): string[] {
    let folder = "packages/hamkit/src";
    return textOf(document)
      .split("\n")
      .flatMap((line) => {
        if (line.startsWith("## ")) folder = sourcesOf(line);
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
    const sections = textOf("docs/glossary.md")
      .split(/^(?=## )/m)
      .slice(1);
    const rows = (text: string) => text.match(/^\| (?!term|-).*$/gm) ?? [];
    const missing = (folder: string, text: string) =>
      rows(text).filter((row) => {
        const [, path] = /\| `([\w./-]+)` +\|$/.exec(row) ?? [];
        return path === undefined || !existsSync(join(root, folder, path));
      });
    expect(
      sections.flatMap((section) => missing(sourcesOf(section.split("\n", 1)[0] ?? ""), section)),
    ).toEqual([]);
    expect(sections.flatMap(rows).length).toBeGreaterThan(100);
  });
});
