import { spawnSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { beforeAll, describe, expect, it } from "vitest";

import { temporaryFolder } from "./public-files.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** A clone in which installing and building is nothing, and the programs write their arguments. */
const clone = temporaryFolder();
beforeAll(async () => {
  await mkdir(join(clone.path, "scripts"));
  await cp(join(root, "scripts/start.mjs"), join(clone.path, "scripts/start.mjs"));
  await writeFile(
    join(clone.path, "scripts/prepare.mjs"),
    `import { spawnSync } from "node:child_process";
    export const root = ${JSON.stringify(`${clone.path}/`)};
    export const install = () => {}, build = () => {};
    export const run = (command, args) => spawnSync(command, args, { stdio: "inherit" });`,
  );
  for (const program of ["hamkit/dist/cli/main.js", "identity/dist/hamkit-identity.js"]) {
    await mkdir(join(clone.path, "packages", program, ".."), { recursive: true });
    const code = `console.log(${JSON.stringify(program)}, ...process.argv.slice(2))`;
    await writeFile(join(clone.path, "packages", program), code);
  }
});

describe("npm start", () => {
  it.each([
    [[], "identity/dist/hamkit-identity.js serve"],
    [["path", "JN48QM", "FN31PR"], "hamkit/dist/cli/main.js path JN48QM FN31PR"],
    [["DH1TW"], "hamkit/dist/cli/main.js DH1TW"],
    [["tour"], "hamkit/dist/cli/main.js tour"],
    [["--help"], "hamkit/dist/cli/main.js --help"],
  ])("with %j runs %s", (words, line) => {
    const script = join(clone.path, "scripts/start.mjs");
    expect(spawnSync(process.execPath, [script, ...words], { encoding: "utf8" }).stdout).toBe(`${line}\n`);
  });

  it("without words names the other product's command in one line, and asks nothing", () => {
    const options = { encoding: "utf8", input: "", timeout: 10_000 } as const;
    const script = join(clone.path, "scripts/start.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script], options);
    expect(status).toBe(0);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("npm start -- radio")]);
    expect(spawnSync(process.execPath, [script, "DH1TW"], options).stderr).toBe("");
  });
});
