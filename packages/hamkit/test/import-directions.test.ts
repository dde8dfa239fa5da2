import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-imports-"));
  cpSync(join(root, ".dependency-cruiser.cjs"), join(folder, ".dependency-cruiser.cjs"));
  cpSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;
type Products = Readonly<Record<"hamkit" | "identity" | "identity-import", Files>>;

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
}

/** Checks files, by path below packages/<product>/src: a process of seconds, so once for all of them. */
function violationsOf(products: Products): string[] {
  rmSync(join(folder, "packages"), { recursive: true, force: true });
  for (const [product, files] of Object.entries(products)) {
    for (const [path, content] of Object.entries(files)) {
      const target = join(folder, "packages", product, "src", path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
  }
  const command = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [command, "--config", ".dependency-cruiser.cjs", "--output-type", "json", "packages"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
}

/** Each case: the rule, the file that breaks it, the files. Their names differ, as all are checked at once. */
const HAMKIT: readonly (readonly [rule: string, from: string, files: Files])[] = [
  ["no-cycles", "geo/a.ts", { "geo/a.ts": `import "./b.js";`, "geo/b.ts": `import "./a.js";` }],
  ["hamkit-geo-imports", "geo/c.ts", { "geo/c.ts": `import "../sun/d.js";`, "sun/d.ts": `export {};` }],
  ["pure-folders-run-in-a-browser", "lookup/e.ts", { "lookup/e.ts": `import "node:fs";` }],
  ["only-the-command-line-imports-node", "log-xml/f.ts", { "log-xml/f.ts": `import "node:path";` }],
  ["only-the-command-line-imports-node", "io/g.ts", { "io/g.ts": `import "node:fs";` }],
  [
    "only-io-touches-network-and-disk",
    "log-xml/h.ts",
    { "log-xml/h.ts": `import "../io/node-modules.js";`, "io/node-modules.ts": `export {};` },
  ],
  [
    "only-the-command-line-imports-itself",
    "i.ts",
    { "i.ts": `import "./cli/j.js";`, "cli/j.ts": `export {};` },
  ],
  ["everything-resolves", "geo/k.ts", { "geo/k.ts": `import "./nowhere.js";` }],
  [
    "hamkit-geo-imports",
    "geo/type.ts",
    {
      "geo/type.ts": `import type { B } from "../sun/l.js"; export type A = B;`,
      "sun/l.ts": `export type B = 1;`,
    },
  ],
];

const IDENTITY: typeof HAMKIT = [
  [
    "identity-migrations-imports",
    "migrations/a.ts",
    { "migrations/a.ts": `import "../users/b.js";`, "users/b.ts": "export {};" },
  ],
  [
    "identity-migrations-imported-by",
    "users/c.ts",
    { "users/c.ts": `import "../migrations/d.js";`, "migrations/d.ts": "" },
  ],
  [
    "identity-workers-imports",
    "workers/e.ts",
    { "workers/e.ts": `import "../config.js";`, "config.ts": "export {};" },
  ],
  [
    "identity-workers-imported-by",
    "auth/f.ts",
    { "auth/f.ts": `import "../workers/g.js";`, "workers/g.ts": "export {};" },
  ],
  [
    "identity-doctor-imports",
    "doctor/h.ts",
    { "doctor/h.ts": `import "../users/user-service.js";`, "users/user-service.ts": "export {};" },
  ],
  [
    "identity-doctor-imported-by",
    "app.ts",
    { "app.ts": `import "./doctor/i.js";`, "doctor/i.ts": "export {};" },
  ],
  [
    "identity-commands-imported-by",
    "serve.ts",
    { "serve.ts": `import "./commands/j.js";`, "commands/j.ts": "export {};" },
  ],
  [
    "identity-does-not-import-identity-import",
    "commands/k.ts",
    { "commands/k.ts": `import "../../../identity-import/src/import/a.js";` },
  ],
];

const IDENTITY_IMPORT: typeof HAMKIT = [
  [
    "identity-import-import-imports",
    "import/a.ts",
    { "import/a.ts": `import "../export/b.js";`, "export/b.ts": "export {};" },
  ],
  [
    "identity-import-imports-what-identity-exports",
    "import/c.ts",
    { "import/c.ts": `import "../../../identity/src/users/b.js";` },
  ],
];

const allFiles = (cases: typeof HAMKIT): Files => Object.assign({}, ...cases.map(([, , files]) => files));

describe("the check of import directions", () => {
  it("accepts imports that go the right way", () => {
    const identity = {
      "platform/a.ts": `export const a = 1;`,
      "migrations/b.ts": `export { a } from "../platform/a.js";`,
      "doctor/c.ts": `export { a } from "../migrations/b.js"; export { d } from "../users/user-store.js";`,
      "users/user-store.ts": `export const d = 1;`,
      "commands/e.ts": `export { a } from "../doctor/c.js";`,
      "program.ts": `export { a } from "./commands/e.js";`,
    };
    const hamkit = { "geo/a.ts": `export const a = 1;`, "sun/b.ts": `export { a } from "../geo/a.js";` };
    const move = {
      "import/a.ts": `export const a = 1;`,
      "export/b.ts": `export { a } from "../import/a.js";`,
    };
    expect(violationsOf({ hamkit, identity, "identity-import": move })).toEqual([]);
  });

  describe("of files that break a rule", () => {
    let violations: string[];
    beforeAll(() => {
      violations = violationsOf({
        hamkit: allFiles(HAMKIT),
        identity: allFiles(IDENTITY),
        "identity-import": allFiles(IDENTITY_IMPORT),
      });
    });

    it.each(HAMKIT)("finds what breaks %s: %s", (rule, from) => {
      expect(violations).toContain(`${rule}: packages/hamkit/src/${from}`);
    });

    it.each(IDENTITY)("finds what breaks %s: %s of identity", (rule, from) => {
      expect(violations).toContain(`${rule}: packages/identity/src/${from}`);
    });

    it.each(IDENTITY_IMPORT)("finds what breaks %s: %s of identity-import", (rule, from) => {
      expect(violations).toContain(`${rule}: packages/identity-import/src/${from}`);
    });
  });
});
