/** Clouds of real Keystones on MariaDB and PostgreSQL, imported: resources are shown as those Keystones showed them, with the same ids. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { explainDifferences } from "../../src/import/verification/known-differences.js";
import { cloudIds, cloudRows, hasClouds } from "../../../identity/test/keystone-cloud.js";
import { IMPORTED_CLOUDS, startImportedCloud, type ImportedCloud } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

let mariadb: MariadbServer;
beforeAll(async () => {
  if (hasClouds) mariadb = await startMariadb();
}, 120_000);
afterAll(async () => {
  if (hasClouds) await mariadb.remove();
});

describe.skipIf(!hasClouds).each(IMPORTED_CLOUDS)("the cloud of the Keystone %s on %s", (...made) => {
  const [cloud, kind, databases] = made;
  let imported: ImportedCloud;
  beforeAll(async () => {
    imported = await startImportedCloud({ cloud, kind, databases, mariadb });
  }, 120_000);
  afterAll(() => imported.remove());

  it("shows every resource as before", async () => {
    const { tokens } = cloudIds(cloud);
    const rows = cloudRows(cloud, "expected");
    expect(rows.length).toBeGreaterThan(440);
    const found: object[] = [];
    for (const row of rows) {
      const token = tokens[(row.request_headers["X-Auth-Token"] ?? "").slice(1)] ?? "";
      const answer = await imported.app.server.inject({ url: row.path, headers: { "x-auth-token": token } });
      // Keystone's own faults.
      if (row.status >= 500) continue;
      const values =
        row.status < 400
          ? explainDifferences({ path: row.path, body: row.response_body }, JSON.parse(answer.body)).unknown
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
    const text = imported.lines.join("\n");
    expect(text).toMatch(/id_mapping\.public_id: belongs to an LDAP directory.*4a39d232e11430e3/);
    expect(text).toContain("sha512_crypt, rounds 10000: 1");
    expect(text).not.toMatch(/ldap-bind-secret|\$2b\$|897ffbe78cd14f5e99f6f68d82628421|GEZDGNBV/);
  });
});
