/** `hamkit-identity ldap check`, beside the running service. */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { listAuditEvents } from "../../src/console/audit/audit-event-store.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { sqliteDatabases } from "../../test/databases.js";
import { adminClient, validationStatus } from "../reliability/admin-client.js";
import { MAIN } from "../run-command.js";
import { runProgram } from "../run-program.js";
import { startService } from "../service-process.js";
import { configOf, DOMAIN, group, person, UNITS } from "./directory-cloud.js";
import { startSlapd } from "./slapd-server.js";

it("the directory of a domain is checked, with a login whose password no argument shows", async () => {
  const slapd = await startSlapd(UNITS + person("alva") + group("admins", ["uid=alva,ou=People,dc=test"]));
  onTestFinished(() => slapd.remove());
  const place = await sqliteDatabases.create();
  onTestFinished(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const drivers = { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on" };
  const service = await startService({ databaseUrl: place.url, folder, env: drivers });
  onTestFinished(() => service.stop());
  const client = await adminClient(service.url);
  await client.ask("POST", "/v3/domains", { domain: { name: "corp", explicit_domain_id: DOMAIN } });
  expect((await client.ask("PUT", `/v3/domains/${DOMAIN}/config`, { config: configOf(slapd) })).status).toBe(
    201,
  );

  const check = async (password: string, more: Record<string, string> = drivers) => {
    const env = {
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
      LDAP_CHECK_PASSWORD: password,
      ...more,
    };
    return runProgram([process.execPath, MAIN, "ldap", "check", DOMAIN, "--login", "alva"], { env });
  };
  const good = await check("pw-alva");
  expect([good.exit, good.errors]).toEqual([0, ""]);
  expect(good.output).toMatch(/^ok +1 user: alva \(id alva\)$/m);
  expect(good.output).toMatch(/^ok +login as uid=alva.* is accepted; groups: admins$/m);
  const wrong = await check("wrong");
  expect([wrong.exit, wrong.output]).toEqual([1, expect.stringMatching(/^failure +login as .*\(49\)/m)]);
  expect((await check("pw-alva", {})).output).toContain("IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED is off");
});

it("ids of a directory are stored before a list does, and purged, with the tokens but without the grants", async () => {
  const slapd = await startSlapd(
    UNITS + person("alva") + person("bero") + group("admins", ["uid=alva,ou=People,dc=test"]),
  );
  onTestFinished(() => slapd.remove());
  const place = await sqliteDatabases.create();
  onTestFinished(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const drivers = { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on", IDENTITY_AUDIT_TRAIL_DAYS: "1" };
  const service = await startService({ databaseUrl: place.url, folder, env: drivers });
  onTestFinished(() => service.stop());
  const client = await adminClient(service.url);
  const ask = (method: string, path: string, body?: object) => client.ask(method, path, body);
  await ask("POST", "/v3/domains", { domain: { name: "corp", explicit_domain_id: DOMAIN } });
  await ask("PUT", `/v3/domains/${DOMAIN}/config`, { config: configOf(slapd) });

  const mapping = async (...words: string[]) => {
    const env = {
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
      ...drivers,
    };
    return runProgram([process.execPath, MAIN, "ldap", ...words], { env });
  };
  const idOf = (kind: string, local: string) =>
    createHash("sha256")
      .update(DOMAIN + kind + local)
      .digest("hex");
  const alva = idOf("user", "alva");
  expect((await ask("GET", `/v3/users/${alva}`)).status).toBe(404);
  const dry = await mapping("mapping-populate", "--domain-name", "corp", "--dry-run");
  expect(dry.output).toContain("would be added: 2 ids of users, 1 of groups");
  expect((await ask("GET", `/v3/users/${alva}`)).status).toBe(404);
  const populated = await mapping("mapping-populate", "--domain-name", "corp");
  expect([populated.exit, populated.output]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^user +${alva} +domain ${DOMAIN} +"alva"$`, "m")),
  ]);
  expect(populated.errors).toContain('"action":"mapping_populate"');
  expect((await ask("GET", `/v3/users/${alva}`)).status).toBe(200);
  expect((await mapping("mapping-populate", "--domain-name", DOMAIN)).output).toBe(
    "added: 0 ids of users, 0 of groups\n",
  );

  const roles = (await ask("GET", "/v3/roles?name=reader")).body.roles;
  const grant = `/v3/domains/${DOMAIN}/groups/${idOf("group", "admins")}/roles/${roles[0].id}`;
  expect((await ask("PUT", grant)).status).toBe(204);
  const logIn = (scope: object | undefined = { domain: { id: DOMAIN } }) =>
    ask("POST", "/v3/auth/tokens", {
      auth: {
        identity: { methods: ["password"], password: { user: { id: alva, password: "pw-alva" } } },
        scope,
      },
    });
  const subject = (await logIn()).headers.get("x-subject-token") ?? "";
  const validate = () => validationStatus(service.url, { token: client.token, subject });
  expect(await validate()).toBe(200);

  for (const [words, fault] of [
    [[], "Expected --all"],
    [["--all", "--type", "user"], "--all can't be combined"],
    [["--local-id", "alva"], "--local-id requires --domain-name"],
    [["--domain-name", "nowhere"], 'No domain has the id or name "nowhere"'],
    [["--type", "robot"], "Allowed choices are user, group"],
  ] as const)
    expect((await mapping("mapping-purge", ...words)).errors).toContain(fault);
  expect((await mapping("mapping-purge", "--public-id", idOf("user", "bero"))).output).toContain(
    "deleted: 1 ids of users, 0 of groups",
  );
  expect((await mapping("mapping-purge", "--domain-name", "corp", "--local-id", "nobody")).output).toBe(
    "deleted: 0 ids of users, 0 of groups\n",
  );
  expect((await mapping("mapping-purge", "--all", "--dry-run")).output).toContain(
    "would be deleted: 1 ids of users, 1 of groups",
  );
  expect(await validate()).toBe(200);
  expect((await mapping("mapping-purge", "--all")).output).toContain("deleted: 1 ids of users, 1 of groups");
  await expect.poll(validate).toBe(404);
  expect((await logIn()).status).toBe(401);
  // Rows that are left are no users of the database.
  expect((await ask("GET", "/v3/users")).body.users).toHaveLength(1);
  expect((await ask("GET", "/v3/groups")).body.groups).toEqual([]);
  expect((await ask("GET", `/v3/users?domain_id=${DOMAIN}`)).body.users).toHaveLength(2);
  expect((await logIn()).status).toBe(201);
  const database = openDatabase(place.url);
  const events = await listAuditEvents(database, { action: "mapping_purge", limit: 10 });
  await database.close();
  expect(events.map(({ details }) => details.target["count"])).toEqual(["2", "0", "1"]);
});
