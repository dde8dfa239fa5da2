/** The packages as they are installed, from tarballs: the service alone, and with the commands that move a cloud. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandLine, freePort } from "../../identity/test/command-line.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PROGRAM = "node_modules/@hamkit/identity/bin/hamkit-identity.js";

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "hamkit-packed-"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Packs packages, and installs them in a folder of their own, with the other packages of this repository. */
function installed(name: string, packages: readonly string[]): string {
  const folder = join(place, name);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@hamkit"), { recursive: true });
  for (const entry of readdirSync(join(ROOT, "node_modules")))
    if (entry !== "@hamkit" && !entry.startsWith("."))
      symlinkSync(join(ROOT, "node_modules", entry), join(modules, entry));
  for (const each of packages) {
    const packed = run("npm", "pack", "--json", `--pack-destination=${folder}`, `./packages/${each}`);
    const [{ filename } = { filename: "" }] = JSON.parse(packed) as { readonly filename: string }[];
    mkdirSync(join(modules, "@hamkit", each));
    const tarball = join(folder, filename.replace(/^@/, "").replace("/", "-"));
    run("tar", "-xzf", tarball, "--strip-components=1", "-C", join(modules, "@hamkit", each));
  }
  return folder;
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

const manifestOf = (folder: string, name: string) =>
  JSON.parse(readFileSync(join(folder, "node_modules/@hamkit", name, "package.json"), "utf8")) as {
    readonly version: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };

describe("@hamkit/identity alone", () => {
  let alone: string;
  beforeAll(() => {
    alone = installed("alone", ["identity"]);
  });
  const { folder, start, finish } = commandLine(() => join(alone, PROGRAM));

  it("has no client of MySQL", () => {
    expect(Object.keys(manifestOf(alone, "identity").dependencies)).not.toContain("mysql2");
    const dist = join(alone, "node_modules/@hamkit/identity/dist");
    expect(readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8")).not.toMatch(/^mysql2 /m);
  });

  it.each(["import", "export"])("names the package that %s needs, and how to install it", async (command) => {
    const { version } = manifestOf(alone, "identity");
    for (const args of [
      [command],
      [command, "--keystone-conf", "x"],
      [command, "--help"],
      ["help", command],
    ]) {
      const { exit, errors } = await finish(args);
      expect(errors).toBe(
        `hamkit-identity: ${command} needs the package @hamkit/identity-import, which is not installed. Install it next to @hamkit/identity: npm install @hamkit/identity-import@${version}\n`,
      );
      expect(exit).toBe(1);
    }
  });

  it("lists both commands, and serves", async () => {
    const { output } = await finish(["--help"]);
    expect(output).toMatch(/^ {2}import /m);
    expect(output).toMatch(/^ {2}export /m);
    const port = await freePort();
    const service = start(["serve"], { IDENTITY_PORT: String(port) });
    await expect.poll(service.output, { timeout: 20_000 }).toContain('"msg":"serving"');
    expect((await fetch(`http://127.0.0.1:${port}/v3`)).status).toBe(200);
    expect(existsSync(join(folder(), ".local/share/hamkit-identity/identity.db"))).toBe(true);
  });
});

describe("@hamkit/identity with @hamkit/identity-import", () => {
  let both: string;
  beforeAll(() => {
    both = installed("both", ["identity", "identity-import"]);
  });
  const { folder, finish } = commandLine(() => join(both, PROGRAM));

  it("has no sources, tests or source maps of identity-import", () => {
    const files = readdirSync(join(both, "node_modules/@hamkit/identity-import"), {
      recursive: true,
      encoding: "utf8",
    });
    expect(files).toContain("dist/index.js");
    expect(files.filter((file) => /^(?:src|test)|\.map$|tsbuildinfo/.test(file))).toEqual([]);
  });

  it("shows the options and settings of both commands", async () => {
    for (const [command, option] of [
      ["import", "--from-file <file>"],
      ["export", "--sql <file>"],
    ] as const) {
      const { output, exit } = await finish([command, "--help"]);
      expect(exit).toBe(0);
      expect(output).toContain(option);
      expect(output).toContain("IDENTITY_DATABASE_URL");
    }
  });

  it("shares the errors of the program: an address that is missing is a wrong setting", async () => {
    const { exit, errors } = await finish(["import"]);
    expect(errors).toContain("IDENTITY_IMPORT_DATABASE_URL: is not set");
    expect(exit).toBe(2);
  });

  it("exports a new cloud to a file of SQL", async () => {
    expect((await finish(["bootstrap", "--bootstrap-password", "adminpw"])).exit).toBe(0);
    const file = join(folder(), "cloud.sql");
    const { exit, errors } = await finish(["export", "--sql", file, "--for", "mariadb", "--schema", "head"]);
    expect([exit, errors]).toEqual([0, ""]);
    expect(readFileSync(file, "utf8")).toMatch(/insert into "local_user"/);
  });
});
