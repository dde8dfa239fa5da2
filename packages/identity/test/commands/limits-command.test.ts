import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeEach, expect, it } from "vitest";

import { openDatabase } from "../../src/platform/database/open-database.js";
import { commandLine } from "../command-line.js";
import { addService } from "../limits/limit-server.js";

const COMPUTE = "c".repeat(32);
const DOCUMENT = `registered_limits:
  - service_id: ${COMPUTE}
    resource_name: a
    default_limit: 10
limits: []
`;

const { folder, finish } = commandLine();
let env: Record<string, string>;

beforeEach(async () => {
  const url = `sqlite:${join(folder(), "identity.db")}`;
  env = { IDENTITY_DATABASE_URL: url };
  await finish(["migrate"], env);
  const database = openDatabase(url);
  await addService(database, COMPUTE);
  await database.close();
});

it("limits makes limits those of a file, and writes them into one", async () => {
  const limits = async (...words: string[]) => {
    const { exit, output, errors } = await finish(["limits", ...words], env);
    expect([exit, errors]).toEqual([0, ""]);
    return output;
  };
  const file = join(folder(), "limits.yaml");
  writeFileSync(file, DOCUMENT);
  const line = `+ registered limit a of service ${COMPUTE}: 10\n`;
  expect(await limits("import", file, "--dry-run")).toBe(`${line}1 change, none made\n`);
  expect(await limits("import", file)).toBe(`${line}1 change\n`);
  expect(await limits("export", "-")).toBe(readFileSync(file, "utf8"));
  const json = join(folder(), "limits.json");
  expect(await limits("export", json)).toBe("");
  expect(await limits("import", json)).toBe("0 changes\n");
});

it("limits reports what is invalid in a file", async () => {
  const file = join(folder(), "limits.yaml");
  writeFileSync(file, DOCUMENT.replace("10", "-2"));
  expect(await finish(["limits", "import", file], env)).toMatchObject({
    exit: 1,
    errors:
      "hamkit-identity: At registered_limits.0.default_limit: Invalid input for field/attribute default_limit. Value: -2. -2 is less than the minimum of -1\n",
  });
});
