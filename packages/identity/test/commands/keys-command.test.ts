import { statSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { unsealSecrets, storeSecrets } from "../../src/identity-providers/protocols/protocol-secrets.js";
import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { loadMasterKey } from "../../src/platform/secrets/master-key.js";
import { sealSecret } from "../../src/platform/secrets/sealing.js";
import { findImportedKeys, replaceImportedKeys } from "../../src/tokens/imported/imported-key-store.js";
import { commandLine } from "../command-line.js";

const { folder, finish } = commandLine();

describe("hamkit-identity migrate", () => {
  it("creates the database, and reports it once", async () => {
    const first = await finish(["migrate"]);
    expect(first).toMatchObject({ exit: 0, errors: "" });
    expect(first.output).toMatch(/^0001-projects\n0002-users\n/);
    expect(await finish(["migrate"])).toEqual({
      exit: 0,
      output: "The database is up to date.\n",
      errors: "",
    });
  });

  it("says with --check what it will do and how long it takes, and does nothing", async () => {
    expect(await finish(["migrate", "--check"])).toMatchObject({
      exit: 1,
      errors: expect.stringContaining("does not exist yet") as string,
    });
    const database = openDatabase(`sqlite:${join(folder(), ".local/share/hamkit-identity/identity.db")}`);
    await migrate(
      database,
      migrations.filter(({ name }) => name < "0032"),
    );
    await database.close();
    const { exit, output } = await finish(["migrate", "--check"]);
    expect(exit).toBe(0);
    expect(output).toContain(
      `0032-ended-memberships: only adds to the schema: the former release runs with it
  creates the index federated_group_member_expires_at of federated_group_member (0 rows): less than a second
`,
    );
    expect(output).toMatch(/Replicas of the former release may keep running\.\n$/);
    expect((await finish(["migrate"])).output).toContain("0032-ended-memberships\n");
    expect((await finish(["migrate", "--check"])).output).toBe("The database is up to date.\n");
  });
});

describe("hamkit-identity keys", () => {
  it("are not made where there is no database", async () => {
    expect(await finish(["keys", "rotate"])).toMatchObject({
      exit: 1,
      errors: expect.stringMatching(
        /^hamkit-identity: The database .*identity\.db does not exist yet\n$/,
      ) as string,
    });
  });

  it("rotate puts the staged key in use, and refuses to lose tokens that live", async () => {
    await finish(["migrate"]);
    expect(await finish(["keys", "rotate"])).toEqual({
      exit: 0,
      output: "Tokens are signed with key 2; 3 keys are kept.\n",
      errors: "",
    });
    expect(await finish(["keys", "rotate"])).toMatchObject({
      exit: 1,
      errors: expect.stringMatching(
        /Tokens from before the last rotation are valid until .*: wait, or use --force/,
      ) as string,
    });
    expect(await finish(["keys", "rotate", "--force"])).toMatchObject({
      exit: 0,
      output: "Tokens are signed with key 3; 3 keys are kept.\n",
    });
  });

  it("rotate-saml puts the key in use whose certificate was in the metadata, and keeps the one before", async () => {
    await finish(["migrate"]);
    const rotations = [await finish(["keys", "rotate-saml"]), await finish(["keys", "rotate-saml"])];
    expect(rotations.map(({ output }) => output)).toEqual([
      "Assertions are signed with key 2; 3 certificates are in the metadata.\n",
      "Assertions are signed with key 3; 3 certificates are in the metadata.\n",
    ]);
  });

  it("drop-imported deletes the keys of an imported Keystone", async () => {
    await finish(["migrate"]);
    const none = { exit: 0, output: "There are no imported keys.\n", errors: "" };
    expect(await finish(["keys", "drop-imported"])).toEqual(none);
    const database = openDatabase(`sqlite:${join(folder(), ".local/share/hamkit-identity/identity.db")}`);
    await replaceImportedKeys(database, {
      sealed: Buffer.from("sealed"),
      authMethods: ["password"],
      lifetimeMs: 1,
      issuedBefore: 1,
      position: 1,
      keptUntil: 1,
    });
    expect(await finish(["keys", "drop-imported"])).toEqual({
      exit: 0,
      output: "The imported keys are deleted: tokens of the imported Keystone are invalid.\n",
      errors: "",
    });
    expect(await findImportedKeys(database)).toBeUndefined();
    await database.close();
    expect(await finish(["keys", "drop-imported"])).toEqual(none);
  });

  it("reseal takes the keys of SAML along", async () => {
    await finish(["migrate"]);
    await finish(["keys", "rotate-saml"]);
    const nextKey = join(folder(), "next.key");
    await finish(["keys", "reseal", "--next-key-file", nextKey]);
    const env = { IDENTITY_MASTER_KEY_FILE: nextKey };
    expect(await finish(["keys", "rotate-saml"], env)).toMatchObject({ exit: 0, errors: "" });
  });

  it("reseal reaches the secrets of protocols", async () => {
    await finish(["migrate"]);
    await finish(["keys", "rotate"]);
    const database = openDatabase(`sqlite:${join(folder(), ".local/share/hamkit-identity/identity.db")}`);
    const protocol = { idpId: "idp", id: "openid" };
    const first = await loadMasterKey({
      file: join(folder(), ".local/share/hamkit-identity/master.key"),
      mayCreate: false,
    });
    await addProtocol(database);
    await database.transaction((transaction) =>
      storeSecrets(transaction, protocol, {
        secrets: new Map([["client_secret", "hidden"]]),
        seal: (secret, at) => sealSecret(first, secret, at),
      }),
    );
    const nextKey = join(folder(), "next.key");
    expect(await finish(["keys", "reseal", "--next-key-file", nextKey])).toMatchObject({ exit: 0 });
    const next = await loadMasterKey({ file: nextKey, mayCreate: false });
    expect(await unsealSecrets(database, protocol, next)).toEqual({ client_secret: "hidden" });
    await expect(unsealSecrets(database, protocol, first)).rejects.toThrow(/stored secrets/);
    await database.close();
  });

  it("reseal has another master key open what the first one did, and that one no longer", async () => {
    await finish(["migrate"]);
    await finish(["keys", "rotate"]);
    const nextKey = join(folder(), "next.key");
    expect(await finish(["keys", "reseal", "--next-key-file", nextKey])).toEqual({
      exit: 0,
      output: `Resealed with ${nextKey}. Running processes that have this key in the file next to theirs whose name ends in .next use it already. On every machine, replace the file of IDENTITY_MASTER_KEY_FILE by it (running replicas read it within two seconds, and a restart needs it), or set the variable to it and restart.\n`,
      errors: "",
    });
    expect(statSync(nextKey).mode & 0o777).toBe(0o600);
    const withFirst = await finish(["keys", "rotate", "--force"]);
    expect(withFirst.exit).toBe(1);
    expect(withFirst.errors).toMatch(/sealed with master key [0-9a-f]{16}, this service has [0-9a-f]{16}/);
    const env = { IDENTITY_MASTER_KEY_FILE: nextKey };
    expect(await finish(["keys", "rotate", "--force"], env)).toMatchObject({ exit: 0, errors: "" });
  });
});

interface Tables {
  readonly project: Readonly<Record<string, string | boolean>>;
  readonly identity_provider: { id: string; domain_id: string; enabled: boolean };
  readonly protocol: { idp_id: string; id: string; mapping_id: string };
}

/** A protocol, and what it can't be without. */
async function addProtocol(database: Database): Promise<void> {
  const tables = database.tables<Tables>();
  const texts = { options: "{}", extra: "{}" };
  await tables
    .insertInto("project")
    .values({ id: "d", name: "d", is_domain: true, enabled: true, ...texts })
    .execute();
  await tables.insertInto("identity_provider").values({ id: "idp", domain_id: "d", enabled: true }).execute();
  await tables.insertInto("protocol").values({ idp_id: "idp", id: "openid", mapping_id: "m" }).execute();
}
