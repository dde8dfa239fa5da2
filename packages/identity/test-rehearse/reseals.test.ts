/** Changes of the master key, concurrent with rotations by commands and by a service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { commandLine } from "../test/command-line.js";
import { postgresDatabases, sqliteDatabases } from "../test/databases.js";

const RESEALS = Number(process.env["RESEALS"] ?? 30);

const { finish } = commandLine();

it.each([sqliteDatabases, postgresDatabases])(
  `a database opens after ${RESEALS} reseals next to rotations ($name)`,
  async (databases) => {
    const place = await databases.create();
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const keyFile = (count: number) => join(folder, `${count}.key`);
    const envOf = (count: number) => ({
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_MASTER_KEY_FILE: keyFile(count),
      IDENTITY_PUBLIC_URL: "http://127.0.0.1:1",
    });
    await finish(["migrate"], envOf(0));
    expect(await finish(["keys", "rotate"], envOf(0))).toMatchObject({ exit: 0 });
    expect(await finish(["keys", "rotate-saml"], envOf(0))).toMatchObject({ exit: 0 });

    for (let count = 0; count < RESEALS; count++) {
      const [reseal, ...rotations] = await Promise.all([
        finish(["keys", "reseal", "--next-key-file", keyFile(count + 1)], envOf(count)),
        finish(["keys", "rotate", "--force"], envOf(count)),
        finish(["keys", "rotate-saml"], envOf(count)),
      ]);
      expect(reseal).toMatchObject({ exit: 0, errors: "" });
      // Too late for its key is a refusal; the next one has the next key.
      const failures = rotations.filter(({ exit }) => exit !== 0).map(({ errors }) => errors);
      expect(
        failures.filter((errors) => !/is not in force|sealed with master key [0-9a-f]+/.test(errors)),
      ).toEqual([]);
    }
    const env = envOf(RESEALS);
    expect((await finish(["doctor"], env)).output).not.toContain("failure");
    expect(await finish(["keys", "rotate", "--force"], env)).toMatchObject({ exit: 0, errors: "" });
    expect(await finish(["keys", "rotate-saml"], env)).toMatchObject({ exit: 0, errors: "" });
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  },
);
