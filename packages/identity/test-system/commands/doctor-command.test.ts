import { expect, it } from "vitest";

import { commandLine } from "../../test/command-line.js";
import { postgresDatabases } from "../../test/databases.js";

const { finish } = commandLine();

it("migrates, rotates and examines on PostgreSQL", async () => {
  const place = await postgresDatabases.create();
  const env = { IDENTITY_DATABASE_URL: place.url };
  const before = await finish(["doctor"], env);
  expect(before.exit).toBe(0);
  expect(before.output).toContain("back it up and run hamkit-identity migrate");
  expect((await finish(["keys", "rotate"], env)).errors).toContain("run hamkit-identity migrate");
  expect(await finish(["migrate"], env)).toMatchObject({ exit: 0, errors: "" });
  expect(await finish(["keys", "rotate"], env)).toMatchObject({ exit: 0, errors: "" });
  const { exit, output } = await finish(["doctor"], env);
  expect(exit).toBe(0);
  expect(output).toContain("ok       database         postgres is reachable\n");
  expect(output).toContain("ok       clock            this computer's agrees with the database server's\n");
  expect(output).toMatch(/ok {7}secrets {10}[0-9a-f]{16} unseals all 3\n/);
  await place.remove();
});
