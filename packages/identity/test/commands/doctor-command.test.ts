import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { commandLine, freePort } from "../command-line.js";

const { folder, start, finish } = commandLine();

const dataFolder = () => join(folder(), ".local/share/hamkit-identity");

/** State and subject of each line. */
function summaryOf(output: string): string[] {
  return output
    .trimEnd()
    .split("\n")
    .map((line) => `${line.slice(0, 9).trim()} ${line.slice(9, 26).trim()}`);
}

describe("hamkit-identity doctor", () => {
  it("finds a running service well", async () => {
    const port = await freePort();
    const env = { IDENTITY_PORT: String(port), IDENTITY_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const service = start(["serve"], env);
    await expect.poll(service.output, { timeout: 10_000 }).toContain('"msg":"serving"');
    await finish(["keys", "rotate", "--force"], env);
    const { exit, output } = await finish(["doctor"], env);
    expect(exit).toBe(0);
    expect(summaryOf(output).filter((line) => !line.endsWith("disk"))).toEqual([
      "ok settings",
      "ok master key file",
      "ok database file",
      "ok database log",
      "ok database",
      "ok release",
      "ok master key",
      "ok secrets",
      "ok signing keys",
      "ok clock",
      "ok processes",
      "ok public URL",
    ]);
  });

  it("creates nothing without a database, and names the command that does", async () => {
    const { exit, output } = await finish(["doctor"], { IDENTITY_PROT: "1" });
    expect(exit).toBe(0);
    expect(output).toContain("warning  settings         unknown setting IDENTITY_PROT: is it misspelled?\n");
    expect(output).toMatch(/warning {2}database {9}.* does not exist yet: run hamkit-identity migrate\n/);
    expect(output).toContain("warning  public URL       not set");
    expect(existsSync(dataFolder())).toBe(false);
  });

  it("warns of providers without HTTPS", async () => {
    const { exit, output } = await finish(["doctor"], { IDENTITY_ALLOW_HTTP_ISSUERS: "on" });
    expect(exit).toBe(0);
    expect(output).toContain("warning  settings         IDENTITY_ALLOW_HTTP_ISSUERS is on: ");
  });

  it("fails when secrets can't be unsealed, and reports files that others may read", async () => {
    await finish(["migrate"]);
    await finish(["keys", "rotate"]);
    chmodSync(join(dataFolder(), "identity.db"), 0o644);
    const other = { IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    const { exit, output } = await finish(["doctor"], other);
    expect(exit).toBe(1);
    expect(output).toMatch(/failure {2}master key {7}[0-9a-f]{16} is not in force, [0-9a-f]{16} is/);
    expect(output).toMatch(
      /failure {2}secret .*signing-key\/1 .*sealed with master key [0-9a-f]{16}, this service has/,
    );
    expect(output.match(/^failure {2}secret /gm)).toHaveLength(3);
    expect(output).toMatch(/warning {2}database file .* mode 644 and is readable by other users: chmod 600/);

    chmodSync(join(dataFolder(), "master.key"), 0o640);
    expect((await finish(["doctor"])).output).toMatch(/failure {2}signing keys .*is readable by other users/);
  });

  it("fails where the database is out of reach, or no database", async () => {
    const gone = await finish(["doctor"], { IDENTITY_DATABASE_URL: "postgres://postgres@127.0.0.1:1/x" });
    expect(gone.exit).toBe(1);
    expect(gone.output).toMatch(/failure {2}database .*ECONNREFUSED.*: check IDENTITY_DATABASE_URL/);
    const path = join(folder(), "letter.db");
    writeFileSync(path, "This is a letter, not a database. ".repeat(100));
    expect((await finish(["doctor"], { IDENTITY_DATABASE_URL: `sqlite:${path}` })).exit).toBe(1);
  });

  it("fails with the exit code of wrong settings where they are wrong", async () => {
    expect((await finish(["doctor"], { IDENTITY_PORT: "x" })).exit).toBe(2);
  });

  it("warns where something else answers at the public address, or nothing", async () => {
    const env = { IDENTITY_PUBLIC_URL: "http://127.0.0.1:1" };
    expect((await finish(["doctor"], env)).output).toMatch(
      /warning {2}public URL .*no response from .* \(fetch failed/,
    );
  });
});
