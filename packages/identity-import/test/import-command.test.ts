import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { commandLine } from "../../identity/test/command-line.js";

const { folder, finish } = commandLine();

describe("hamkit-identity import", () => {
  it.each([
    ["mysql://keystone:geheim@db/keystone"],
    ["mysql+pymysql://keystone:geheim@db/keystone"],
    ["postgres://db/keystone?password=geheim"],
  ])("refuses a password on the command line, and does not print it: %s", async (address) => {
    const { exit, output, errors } = await finish(["import", "--from", address]);
    expect(exit).toBe(2);
    expect(errors).toContain("set IDENTITY_IMPORT_DATABASE_URL, or use --from-file");
    expect(output + errors).not.toContain("geheim");
  });

  it.each([
    [[], "IDENTITY_IMPORT_DATABASE_URL: is not set: expected the address of Keystone's database"],
    [["--from-env", "NOWHERE"], "--from-env: the variable NOWHERE is not set"],
    [["--from-file", "/nowhere"], '--from-file: "/nowhere" can\'t be read'],
    [["--from-env", "A", "--from-file", "b"], "give only one of --from, --from-env and --from-file"],
    [["--prefer", "source"], "--prefer: is only for --update"],
    [["--token-expiration", "1h"], '--token-expiration: "1h" is not a number of seconds'],
    [["--verify", "https://keystone.example.org"], "IDENTITY_IMPORT_TOKEN: is not set"],
  ])("needs an address that is given once, and valid options: %j", async (args, message) => {
    const { exit, errors } = await finish(["import", ...args]);
    expect(exit).toBe(2);
    expect(errors).toContain(message);
  });

  it("needs the authentication methods with the keys of tokens, whose meaning depends on them", async () => {
    const { exit, errors } = await finish(["import", "--fernet-keys", folder()], {
      IDENTITY_IMPORT_DATABASE_URL: "mysql://keystone@127.0.0.1:9/keystone",
    });
    expect(exit).toBe(2);
    expect(errors).toContain("--auth-methods: is missing");
  });

  it("drops no tokens of a longer lifetime silently: without their lifetime it does not start", async () => {
    const { exit, errors } = await finish(
      ["import", "--fernet-keys", folder(), "--auth-methods", "password,token"],
      { IDENTITY_IMPORT_DATABASE_URL: "mysql://keystone@127.0.0.1:9/keystone" },
    );
    expect(exit).toBe(2);
    expect(errors).toContain("--token-expiration: is missing: expected [token] expiration of keystone.conf");
    expect(errors).toContain("every token that is older would be dropped");
  });

  it.each(["mysql", "postgres"])(
    "fails without the password in its message if %s does not answer",
    async (kind) => {
      const file = join(folder(), "address");
      await writeFile(file, `${kind}://keystone:geheim@127.0.0.1:9/keystone\n`, { mode: 0o600 });
      const { exit, output, errors } = await finish(["import", "--from-file", file, "--dry-run"]);
      expect(exit).toBe(1);
      expect(errors).toContain("Keystone's database can't be read: connect ECONNREFUSED 127.0.0.1:9");
      expect(output + errors).not.toContain("geheim");
    },
  );
});
