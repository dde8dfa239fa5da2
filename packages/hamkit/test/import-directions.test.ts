import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-imports-"));
  cpSync(join(root, ".dependency-cruiser.cjs"), join(folder, ".dependency-cruiser.cjs"));
  cpSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the check on these files, by path below packages/<product>/src. */
function check(
  files: Record<string, string>,
  product: "hamkit" | "identity" = "hamkit",
): { passed: boolean; report: string } {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, "packages", product, "src", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const command = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [command, "--config", ".dependency-cruiser.cjs", "--output-type", "err", "packages"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return { passed: status === 0, report: stdout + stderr };
}

describe("the check of import directions", () => {
  it("accepts imports that go the right way", () => {
    expect(
      check({ "geo/a.ts": `export const a = 1;`, "sun/b.ts": `export { a } from "../geo/a.js";` }),
    ).toMatchObject({
      passed: true,
    });
  });

  it.each([
    ["no-cycles", { "geo/a.ts": `import "./b.js";`, "geo/b.ts": `import "./a.js";` }],
    ["hamkit-geo-imports", { "geo/a.ts": `import "../sun/b.js";`, "sun/b.ts": `export {};` }],
    ["pure-folders-run-in-a-browser", { "lookup/a.ts": `import "node:fs";` }],
    ["only-the-command-line-imports-node", { "log-xml/a.ts": `import "node:path";` }],
    ["only-the-command-line-imports-node", { "io/a.ts": `import "node:fs";` }],
    [
      "only-io-touches-network-and-disk",
      { "log-xml/a.ts": `import "../io/node-modules.js";`, "io/node-modules.ts": `export {};` },
    ],
    ["only-the-command-line-imports-itself", { "a.ts": `import "./cli/b.js";`, "cli/b.ts": `export {};` }],
    ["everything-resolves", { "geo/a.ts": `import "./nowhere.js";` }],
  ])("finds what breaks %s", (rule, files) => {
    const { passed, report } = check(files);
    expect(passed).toBe(false);
    expect(report).toContain(rule);
  });

  it("accepts identity's imports that go the right way", () => {
    const files = {
      "platform/a.ts": `export const a = 1;`,
      "migrations/b.ts": `export { a } from "../platform/a.js";`,
      "doctor/c.ts": `export { a } from "../migrations/b.js"; export { d } from "../users/user-store.js";`,
      "users/user-store.ts": `export const d = 1;`,
      "commands/e.ts": `export { a } from "../doctor/c.js";`,
      "program.ts": `export { a } from "./commands/e.js";`,
    };
    expect(check(files, "identity")).toMatchObject({ passed: true });
  });

  it.each([
    [
      "identity-migrations-imports",
      { "migrations/a.ts": `import "../users/b.js";`, "users/b.ts": "export {};" },
    ],
    [
      "identity-migrations-imported-by",
      { "users/a.ts": `import "../migrations/b.js";`, "migrations/b.ts": "" },
    ],
    ["identity-workers-imports", { "workers/a.ts": `import "../config.js";`, "config.ts": "export {};" }],
    [
      "identity-workers-imported-by",
      { "auth/a.ts": `import "../workers/b.js";`, "workers/b.ts": "export {};" },
    ],
    [
      "identity-doctor-imports",
      { "doctor/a.ts": `import "../users/user-service.js";`, "users/user-service.ts": "export {};" },
    ],
    ["identity-doctor-imported-by", { "app.ts": `import "./doctor/b.js";`, "doctor/b.ts": "export {};" }],
    [
      "identity-commands-imported-by",
      { "serve.ts": `import "./commands/b.js";`, "commands/b.ts": "export {};" },
    ],
  ])("finds what breaks %s", (rule, files: Record<string, string>) => {
    const { passed, report } = check(files, "identity");
    expect(passed).toBe(false);
    expect(report).toContain(rule);
  });

  it("finds a forbidden import of a type alone, too", () => {
    const files = {
      "geo/a.ts": `import type { B } from "../sun/b.js"; export type A = B;`,
      "sun/b.ts": `export type B = 1;`,
    };
    expect(check(files).report).toContain("hamkit-geo-imports");
  });
});
