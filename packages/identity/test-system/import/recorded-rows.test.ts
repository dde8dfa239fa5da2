/** Clouds of real Keystones on MariaDB and PostgreSQL, imported: resources are shown as those Keystones showed them, with the same ids. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { differencesOf, type ValueDifference } from "../../src/import/verification/response-differences.js";
import type { GoldenRow } from "../../test/golden.js";
import { cloudIds, cloudRows, hasClouds } from "../../test/keystone-cloud.js";
import { IMPORTED_CLOUDS, startImportedCloud, type ImportedCloud } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

/** Values that differ on purpose, by sections of docs/identity/differences.md. */
const DIFFERENT_VALUES: Readonly<Record<string, (difference: ValueDifference, row: GoldenRow) => boolean>> = {
  // Also `protocol-links-lead-to-the-protocol`, `trust-links` and `policies-link-to-themselves`.
  "links-lead-there": ({ path }) => /(?:^|\/)(?:links|roles_links)(?:\/|$)/.test(path),
  "legacy-regions-have-names": ({ path }) => /^endpoints\/\w+\/region$/.test(path),
  "system-roles-are-not-inherited": ({ path, target }, row) =>
    row.path.includes("inherited_to") && target === undefined && path.includes('"system"'),
  "expiring-members-are-members": ({ path, source, target }, row) =>
    (source === undefined && /^\/v3\/(?:groups\/\w+\/users|role_assignments\?.*effective)/.test(row.path)) ||
    (path.endsWith("/membership_expires_at") && target === source?.replace('000"', '000Z"')),
  // Keystone 22 has none.
  "schema-versions-are-checked": ({ path }) => path.endsWith("schema_version"),
};

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
    const text = imported.lines.join("\n");
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
