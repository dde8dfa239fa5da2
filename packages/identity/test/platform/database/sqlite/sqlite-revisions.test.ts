import { spawnSync } from "node:child_process";
import { setImmediate as nextTurn } from "node:timers/promises";

import Libsql from "libsql";
import { expect, it } from "vitest";

import { openDatabase } from "../../../../src/platform/database/open-database.js";
import { sqliteDatabases } from "../../../databases.js";

it("is another one in the next turn when another process has written to the SQLite file", async () => {
  const place = await sqliteDatabases.create();
  const database = openDatabase(place.url);
  const before = database.revision("revocations");
  const path = place.url.replace("sqlite:", "");
  const script = `new (require("libsql"))(${JSON.stringify(path)}).exec("create table star (id text)")`;
  const { status } = spawnSync(process.execPath, ["--eval", script], { cwd: import.meta.dirname });
  expect(status).toBe(0);
  // Within the turn that asked before, nothing has been heard of it yet.
  await nextTurn();
  expect(database.revision("revocations")).not.toBe(before);
  await database.close();
  await place.remove();
});

it("stays while another process holds the SQLite file and commits nothing", async () => {
  const place = await sqliteDatabases.create();
  const database = openDatabase(place.url);
  const other = new Libsql(place.url.replace("sqlite:", ""));
  other.exec("begin exclusive");
  const before = database.revision("facts");
  expect(database.revision("facts")).toBe(before);
  other.exec("rollback");
  other.close();
  await database.close();
  await place.remove();
});
