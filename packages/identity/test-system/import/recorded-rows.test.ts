/** Clouds of real Keystones on MariaDB and PostgreSQL, imported: resources are shown as those Keystones showed them, with the same ids. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createApp, type App } from "../../src/app.js";
import { importKeystone } from "../../src/commands/import/keystone-import.js";
import { readConfig } from "../../src/config.js";
import { differencesOf, type ValueDifference } from "../../src/import/verification/response-differences.js";
import { systemClock } from "../../src/platform/clock.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import {
  onServer,
  postgresDatabases,
  sqliteDatabases,
  type TestDatabase,
  type TestDatabases,
} from "../../test/databases.js";
import type { GoldenRow } from "../../test/golden.js";
import {
  CLOUD_METHODS,
  cloudFolder,
  cloudIds,
  cloudRows,
  hasClouds,
  type CloudName,
} from "../../test/keystone-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

type SourceKind = "mariadb" | "postgresql";

const TEN_YEARS_SECONDS = 315_360_000;

/** Requests of features that are not offered. */
const NOT_OFFERED = /\/OS-OAUTH1\//;

/** Values that differ on purpose, by sections of docs/identity/differences.md. */
const DIFFERENT_VALUES: Readonly<Record<string, (difference: ValueDifference, row: GoldenRow) => boolean>> = {
  // Also `protocol-links-lead-to-the-protocol`, `trust-links` and `policies-link-to-themselves`.
  "links-lead-there": ({ path }) => /(?:^|\/)(?:links|roles_links)(?:\/|$)/.test(path),
  "legacy-regions-have-names": ({ path }) => /^endpoints\/\w+\/region$/.test(path),
  "system-roles-are-not-inherited": ({ path, target }, row) =>
    row.path.includes("inherited_to") && target === undefined && path.includes('"system"'),
  "expiring-members-are-members": ({ path, source, target }, row) =>
    (source === undefined && /^\/v3\/(?:groups\/\w+\/users|role_assignments\?.*effective)/.test(row.path)) ||
    (path.endsWith("/membership_expires_at") && target === source?.replace(/"$/, 'Z"')),
  // Keystone 22 has none.
  "schema-versions-are-checked": ({ path }) => /schema_version$/.test(path),
};

const CASES: readonly (readonly [CloudName, SourceKind, TestDatabases])[] = [
  ["head", "mariadb", sqliteDatabases],
  ["head", "postgresql", postgresDatabases],
  ["zed", "mariadb", postgresDatabases],
  ["zed", "postgresql", sqliteDatabases],
];

let mariadb: MariadbServer;
beforeAll(async () => {
  if (hasClouds) mariadb = await startMariadb();
}, 120_000);
afterAll(async () => {
  if (hasClouds) await mariadb.remove();
});

describe.skipIf(!hasClouds).each(CASES)("the cloud of the Keystone %s on %s", (cloud, kind, databases) => {
  let app: App;
  let place: TestDatabase;
  let lines: readonly string[];

  beforeAll(async () => {
    place = await databases.create();
    const config = readConfig({
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_RATE_LIMIT: "off",
      IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      IDENTITY_ADMIN_PASSWORD: "unused",
      IDENTITY_ALLOW_REDELEGATION: "on",
    });
    ({ lines } = await importKeystone(config, {
      address: await restore(cloud, kind),
      keystoneConf: undefined,
      fernetKeys: `${cloudFolder(cloud)}fernet-keys`,
      credentialKeys: `${cloudFolder(cloud)}credential-keys`,
      authMethods: CLOUD_METHODS,
      tokenExpirationSeconds: TEN_YEARS_SECONDS,
      isDryRun: false,
      isUpdate: false,
      prefer: undefined,
      stderr: { write: () => true },
      isInteractive: false,
    }));
    const log = createLog("silent", { write: () => {} });
    const publicUrl = cloud === "head" ? "http://127.0.0.1:6361" : "http://127.0.0.1:6360";
    app = await createApp(
      { ...config, publicUrl },
      { log, clock: systemClock, newId, newRequestId, isProcess: false },
    );
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await place.remove();
  });

  it("shows every resource as before", async () => {
    const { tokens } = cloudIds(cloud);
    const rows = cloudRows(cloud, "expected").filter(({ path }) => !NOT_OFFERED.test(path));
    expect(rows.length).toBeGreaterThan(440);
    const found: object[] = [];
    for (const row of rows) {
      const token = tokens[(row.request_headers["X-Auth-Token"] ?? "").slice(1)] ?? "";
      const answer = await app.server.inject({ url: row.path, headers: { "x-auth-token": token } });
      // Keystone's own faults.
      if (row.status >= 500) continue;
      const values =
        row.status < 400
          ? differencesOf(comparable(row.response_body), comparable(JSON.parse(answer.body))).filter(
              (difference) => !Object.values(DIFFERENT_VALUES).some((is) => is(difference, row)),
            )
          : [];
      if (answer.statusCode !== row.status || values.length > 0)
        found.push({
          request: row.name,
          status: [row.status, answer.statusCode],
          values: values.slice(0, 5),
        });
    }
    expect(found).toEqual([]);
  }, 120_000);

  it("reports what it can't hold, and no secret", () => {
    const text = lines.join("\n");
    expect(text).toMatch(/^consumer +1 +0 +1$/m);
    expect(text).toContain("consumer.*: OAuth 1.0a is not offered: 728cf7de4a624abdb804e95bfb7481b9");
    expect(text).toMatch(/id_mapping\.public_id: belongs to an LDAP directory.*4a39d232e11430e3/);
    expect(text).toContain("sha512_crypt, rounds 10000: 1");
    expect(text).not.toMatch(/ldap-bind-secret|\$2b\$|897ffbe78cd14f5e99f6f68d82628421|GEZDGNBV/);
  });
});

/** Role assignments without links: Keystone repeats an effective one for each role that implies it, and names another of them. */
function comparable(body: unknown): unknown {
  const { role_assignments: assignments } = (body ?? {}) as { readonly role_assignments?: readonly object[] };
  if (assignments === undefined) return body;
  const texts = assignments.map((assignment) => {
    const { scope, user, group, role } = assignment as Record<string, unknown>;
    const id = JSON.stringify([scope, user, group, role].map(sorted));
    return { id };
  });
  return { role_assignments: [...new Map(texts.map((text) => [text.id, text])).values()] };
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, sorted(member)]);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function restore(cloud: CloudName, kind: SourceKind): Promise<string> {
  const dump = gunzipSync(readFileSync(`${cloudFolder(cloud)}${kind}.sql.gz`));
  const name = `keystone_${randomUUID().replaceAll("-", "")}`;
  if (kind === "mariadb") return mariadb.restore(name, dump);
  // A database of its own: the dump names the schema `public`.
  await onServer(`create database ${name}`);
  const url = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test");
  url.pathname = name;
  const { status, stderr } = spawnSync("psql", ["--quiet", "--set=ON_ERROR_STOP=1", url.href], {
    input: dump,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return url.href;
}
