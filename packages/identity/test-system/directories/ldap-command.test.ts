/** `hamkit-identity ldap check`, beside the running service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { adminClient } from "../reliability/admin-client.js";
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
