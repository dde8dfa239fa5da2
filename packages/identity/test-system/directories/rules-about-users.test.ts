/** Rules of policy files about users of a directory: they see what the directory has now, also where it was asked lately. */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { directoryCloud, DOMAIN, person, UNITS } from "./directory-cloud.js";

it("allow and deny by the directory's current entry", async () => {
  const folder = await mkdtemp(join(tmpdir(), "policy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "policy.json");
  await writeFile(file, JSON.stringify({ "identity:get_user": "True:%(target.user.enabled)s" }));
  const cloud = await directoryCloud(sqliteDatabases, {
    ldif: UNITS + person("alva", "mail: alva@test.example"),
    env: { IDENTITY_POLICY_FILE: file, IDENTITY_LDAP_RECHECK: "3600" },
  });
  onTestFinished(() => cloud.close());
  await cloud.configure({ user_enabled_attribute: "title" });
  const id = createHash("sha256").update(`${DOMAIN}useralva`).digest("hex");
  // The directory has been asked for this user.
  await cloud.ask("GET", `/users?domain_id=${DOMAIN}`);
  await cloud.enter("alva");
  const shown = await cloud.ask("GET", `/users/${id}`);
  expect(shown).toMatchObject({ status: 200, body: { user: { email: "alva@test.example" } } });

  const entry = "dn: uid=alva,ou=People,dc=test\nchangetype: modify\n";
  cloud.slapd.modify(`${entry}add: title\ntitle: FALSE\n`);
  expect((await cloud.ask("GET", `/users/${id}`)).status).toBe(403);
  cloud.slapd.modify(`${entry}delete: title\n`);
  expect((await cloud.ask("GET", `/users/${id}`)).status).toBe(200);
});
