import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Command } from "commander";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { CommandContext } from "../../src/commands/command-context.js";
import { addLimitsCommand } from "../../src/commands/limits-command.js";
import { ENFORCEMENT } from "../../src/limits/enforcement.js";
import { createLimitTransfer } from "../../src/limits/limit-transfer.js";
import { migrations } from "../../src/migrations/migrations.js";
import { migrate } from "../../src/platform/database/migrations.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId } from "../../src/platform/ids.js";
import { sqliteDatabases, type TestDatabase } from "../databases.js";
import { addService, standIns } from "../limits/limit-server.js";

const COMPUTE = "c".repeat(32);

let place: TestDatabase;
let folder: string;
beforeEach(async () => {
  place = await sqliteDatabases.create();
  folder = dirname(place.url.replace("sqlite:", ""));
  const database = openDatabase(place.url);
  await migrate(database, migrations);
  await addService(database, COMPUTE);
  await database.close();
});
afterEach(() => place.remove());

/** What the command writes. */
async function run(...words: string[]): Promise<string> {
  let output = "";
  const stdout = { write: (text: string) => (output += text) };
  const context = { env: { IDENTITY_DATABASE_URL: place.url }, stdout } as unknown as CommandContext;
  const program = new Command().exitOverride();
  addLimitsCommand(program, context, (database, { enforcementModel }) =>
    createLimitTransfer({
      database,
      newId,
      ...standIns(database),
      enforcement: ENFORCEMENT[enforcementModel],
    }),
  );
  await program.parseAsync(["limits", ...words], { from: "user" });
  return output;
}

it("makes limits those of a file, and writes them into one", async () => {
  const file = join(folder, "limits.yaml");
  writeFileSync(
    file,
    `registered_limits:\n  - service_id: ${COMPUTE}\n    resource_name: a\n    default_limit: 10\nlimits: []\n`,
  );
  const line = `+ registered limit a of service ${COMPUTE}: 10\n`;
  expect(await run("import", file, "--dry-run")).toBe(`${line}1 change, none made\n`);
  expect(await run("import", file)).toBe(`${line}1 change\n`);
  expect(await run("import", file)).toBe("0 changes\n");
  expect(await run("export", "-")).toBe(readFileSync(file, "utf8"));
  const json = join(folder, "limits.json");
  expect(await run("export", json)).toBe("");
  expect(await run("import", json)).toBe("0 changes\n");
});
