/** Runs the commands of docs/identity/ldap.md: a domain in slapd, checked by the program. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { fileOf, linesFor, readGuide } from "../federation/keystone/guide.js";
import { adminClient } from "../reliability/admin-client.js";
import { MAIN } from "../run-command.js";
import { runProgram } from "../run-program.js";
import { startService } from "../service-process.js";
import { DOMAIN, group, person, UNITS } from "./directory-cloud.js";
import { SERVICE_DN, SERVICE_PASSWORD, startSlapd } from "./slapd-server.js";

it("the guide's commands put a domain into a directory, and check it", async () => {
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

  const guide = readGuide("ldap.md", {
    "ldaps://ldap1.example.org,ldaps://ldap2.example.org": slapd.tlsUrl,
    "/etc/identity/ldap-ca.pem": slapd.certificate.cert,
    "cn=identity,ou=Services,dc=example,dc=org": SERVICE_DN,
    "dc=example,dc=org": "dc=test",
    '"PASSWORD"': `"${SERVICE_PASSWORD}"`,
  });
  const program = `hamkit-identity() { "${process.execPath}" "${MAIN}" "$@"; }\n`;
  const follow = async (block: string) => {
    const lines = linesFor(guide, block);
    expect(lines).not.toBe("");
    const { exit, output, errors } = await runProgram(
      ["/bin/bash", "-ec", `cd "${folder}"\n${program}${lines}`],
      {
        env: {
          PATH: "/usr/bin:/bin",
          TOKEN: client.token,
          OS_AUTH_URL: `${service.url}/v3`,
          DOMAIN,
          NAME: "alva",
          PASSWORD: "pw-alva",
          IDENTITY_DATABASE_URL: place.url,
          IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
          ...drivers,
        },
      },
    );
    expect([block, exit, errors]).toEqual([block, 0, ""]);
    return output;
  };
  await follow("openldap");
  expect((await client.ask("GET", `/v3/users?domain_id=${DOMAIN}`)).body.users).toHaveLength(1);
  expect(await follow("check")).toMatch(/^ok +login as uid=alva.* is accepted; groups: admins$/m);

  // The domain controller is that of the rehearsals.
  await writeFile(join(folder, "active-directory.json"), fileOf(guide, "active-directory.json"));
  expect(JSON.parse(await follow("active-directory"))).toMatchObject({
    config: { ldap: { user_id_attribute: "objectGUID", group_ad_nesting: true } },
  });
});
