/** Clouds whose rows were changed past the API: the import ends, its counts add up, and all responses fit the API's schemas. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { EndpointView } from "../../../identity/src/catalog/endpoint.js";
import { RegionView } from "../../../identity/src/catalog/regions/region.js";
import { ServiceView } from "../../../identity/src/catalog/service.js";
import { CredentialView } from "../../../identity/src/credentials/credential.js";
import { EndpointGroupView } from "../../../identity/src/endpoint-filter/endpoint-group.js";
import { GroupView } from "../../../identity/src/groups/group.js";
import { ListedIdentityProvider } from "../../../identity/src/identity-providers/identity-provider.js";
import { TRANSFERS } from "../../src/import/transfers/transfers.js";
import { LimitView } from "../../../identity/src/limits/limit.js";
import { RegisteredLimitView } from "../../../identity/src/limits/registered-limit.js";
import { MappingView } from "../../../identity/src/mappings/mapping.js";
import { ConsumerView } from "../../../identity/src/oauth1/oauth1-store.js";
import { schemaFault, type Schema } from "../../../identity/src/platform/http/validation/schema-fault.js";
import { PolicyView } from "../../../identity/src/stored-policies/policy.js";
import { DomainView, ProjectView } from "../../../identity/src/projects/project-schema.js";
import { RoleView } from "../../../identity/src/roles/role.js";
import { ServiceProviderView } from "../../../identity/src/service-providers/service-provider.js";
import { TrustView } from "../../../identity/src/trusts/trust.js";
import { UserView } from "../../../identity/src/users/user-schema.js";
import { postgresDatabases, sqliteDatabases } from "../../../identity/test/databases.js";
import { cloudIds, hasClouds } from "../../../identity/test/keystone-cloud.js";
import { startImportedCloud, type ImportedCloud, type RestoredCloud } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

let mariadb: MariadbServer;
beforeAll(async () => {
  if (hasClouds) mariadb = await startMariadb();
}, 120_000);
afterAll(async () => {
  if (hasClouds) await mariadb.remove();
});

const ROUNDS = 3;
/** Rows of each table that are changed in a round. */
const CHANGES = 3;

/** What no request can store, or what has to be read with care. Of each database, a column takes what fits its type. */
const VALUES = [
  null,
  "",
  " ",
  "0",
  "2",
  "-5",
  "2147483647",
  "no-such-id",
  "default",
  "x".repeat(64),
  "line\r\nbreak",
  "Ⅻ\u202Eabc",
  "a/b?c#d%2f",
  "[]",
  "{",
  '"text"',
  '{"password": "shown?", "groups": ["shown?"], "federated": [], "id": 1, "links": null, "enabled": "no", "name": 5, "description": 7}',
  '{"tags": 1, "options": 1, "is_domain": 1, "parent_id": 1, "domain_id": 1, "secret": "shown?", "blob": 1, "roles": 1, "__proto__": {}}',
  "1970-01-01 00:00:00",
];

/** Lists of the API and the schema of their items. */
const LISTS = {
  domains: DomainView,
  projects: ProjectView,
  users: UserView,
  groups: GroupView,
  roles: RoleView,
  regions: RegionView,
  services: ServiceView,
  endpoints: EndpointView,
  "OS-EP-FILTER/endpoint_groups": EndpointGroupView,
  policies: PolicyView,
  registered_limits: RegisteredLimitView,
  limits: LimitView,
  "OS-FEDERATION/identity_providers": ListedIdentityProvider,
  "OS-FEDERATION/mappings": MappingView,
  "OS-FEDERATION/service_providers": ServiceProviderView,
  credentials: CredentialView,
  "OS-TRUST/trusts": TrustView,
  "OS-OAUTH1/consumers": ConsumerView,
} as unknown as Readonly<Record<string, Schema>>;

/** Members that no response shows. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  users: ["password", "original_password", "groups", "tenants", "domains"],
  "OS-OAUTH1/consumers": ["secret"],
};

/** The administrator and what it needs: without them there are no responses to look at. */
function isProtected(
  table: string,
  row: Readonly<Record<string, unknown>>,
  ids: ReadonlySet<string>,
): boolean {
  return (
    table === "system_assignment" ||
    ["id", "user_id", "actor_id"].some((column) => ids.has(String(row[column])))
  );
}

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TABLES = [
  ...new Set([...TRANSFERS.map(({ from }) => from), "local_user", "user_option", "project_option"]),
];

async function spoil(
  source: RestoredCloud,
  { kind, seed, ids }: { readonly kind: string; readonly seed: number; readonly ids: ReadonlySet<string> },
): Promise<number> {
  const random = numbers(seed);
  const quote = (name: string) => (kind === "mariadb" ? `\`${name}\`` : `"${name}"`);
  const literal = (value: string | null) =>
    value === null
      ? "null"
      : `'${(kind === "mariadb" ? value.replaceAll("\\", "\\\\") : value).replaceAll("'", "''")}'`;
  await source.query(
    kind === "mariadb"
      ? "set foreign_key_checks = 0, sql_mode = ''"
      : "set session_replication_role = replica",
  );
  let changed = 0;
  for (const table of TABLES) {
    const rows = (await source.query(`select * from ${quote(table)}`)).filter(
      (row) => !isProtected(table, row, ids),
    );
    for (let change = 0; change < CHANGES && rows.length > 0; change++) {
      const row = rows[random(rows.length)] ?? {};
      const columns = Object.keys(row);
      const column = columns[random(columns.length)] ?? "";
      // Half of the references to another row of the same table: cycles, other domains.
      const other = rows[random(rows.length)]?.["id"];
      const value =
        random(4) === 0 && other !== undefined ? String(other) : (VALUES[random(VALUES.length)] ?? null);
      const same = Object.entries(row)
        .filter(([, each]) => typeof each === "string" && each.length < 100)
        .map(([name, each]) => `${quote(name)} = ${literal(String(each))}`);
      if (same.length === 0) continue;
      const statement = `update ${quote(table)} set ${quote(column)} = ${literal(value)} where ${same.join(" and ")}`;
      // A column that can't hold the value.
      await source.query(statement).then(
        () => changed++,
        () => undefined,
      );
    }
  }
  return changed;
}

describe.skipIf(!hasClouds).each([
  ["mariadb", sqliteDatabases],
  ["postgresql", postgresDatabases],
  ["mariadb", postgresDatabases],
] as const)("a cloud on %s whose rows no request can make", (kind, databases) => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    "is imported or reported (round %i)",
    async (round) => {
      const { ids, tokens } = cloudIds("head");
      const kept = new Set([
        ids["user:admin"] ?? "",
        ids["role:admin"] ?? "",
        "default",
        "<<keystone.domain.root>>",
      ]);
      let changed = 0;
      const change = async (source: RestoredCloud) => {
        changed = await spoil(source, { kind, seed: 1000 + round * 7, ids: kept });
      };
      const imported: ImportedCloud = await startImportedCloud({
        cloud: "head",
        kind,
        databases,
        mariadb,
        change,
      });
      try {
        expect(changed).toBeGreaterThan(20);
        expect(countsThatDoNotAddUp(imported.lines)).toEqual([]);
        expect(imported.lines.join("\n")).not.toMatch(/FOREIGN KEY|ldap-bind-secret/);
        expect(await faults(imported, tokens["admin"] ?? "")).toEqual([]);
      } finally {
        await imported.remove();
      }
    },
    60_000,
  );
});

function countsThatDoNotAddUp(lines: readonly string[]): string[] {
  return lines.filter((line) => {
    const [, read, imported, leftOut] = /^\w+ +(\d+) +(\d+) +(\d+)$/.exec(line) ?? [];
    return read !== undefined && Number(read) !== Number(imported) + Number(leftOut);
  });
}

/** Responses that fail, or that do not fit the schema. */
async function faults({ app }: ImportedCloud, token: string): Promise<string[]> {
  const found: string[] = [];
  const ask = async (url: string) => {
    const { statusCode, body } = await app.server.inject({ url, headers: { "x-auth-token": token } });
    if (statusCode >= 500) found.push(`${url}: ${statusCode} ${body}`);
    return { statusCode, body: JSON.parse(body) as Record<string, unknown> };
  };
  for (const [path, schema] of Object.entries(LISTS)) {
    const { statusCode, body } = await ask(`/v3/${path}`);
    if (statusCode !== 200) found.push(`${path}: ${statusCode}`);
    const items = Object.values(body).find((value) => Array.isArray(value)) ?? [];
    for (const item of items as Record<string, unknown>[]) {
      const fault = schemaFault(schema, item);
      if (fault !== undefined)
        found.push(`${path}/${String(item["id"])}: ${fault.path.join(".")} ${fault.reason}`);
      const secret = SECRETS[path]?.find((member) => member in item);
      if (secret !== undefined) found.push(`${path}/${String(item["id"])} shows ${secret}`);
      const member = await ask(`/v3/${path}/${encodeURIComponent(String(item["id"]))}`);
      // A trust whose uses are used up is only in the list.
      if (member.statusCode !== 200 && item["remaining_uses"] !== 0)
        found.push(`${path}/${String(item["id"])}: ${member.statusCode}`);
      if (path === "users")
        for (const part of ["groups", "projects", "application_credentials", "access_rules"])
          await ask(`/v3/users/${encodeURIComponent(String(item["id"]))}/${part}`);
      if (path === "domains") await ask(`/v3/domains/${encodeURIComponent(String(item["id"]))}/config`);
    }
  }
  for (const path of ["role_assignments?include_names", "role_inferences", "auth/catalog", "auth/projects"])
    await ask(`/v3/${path}`);
  return found;
}

describe.skipIf(!hasClouds).each([
  ["mariadb", sqliteDatabases],
  ["postgresql", postgresDatabases],
] as const)("a cloud on %s with rows in circles", (kind, databases) => {
  let imported: ImportedCloud;
  let token: string;
  const q = (name: string) => (kind === "mariadb" ? `\`${name}\`` : `"${name}"`);
  const flag = (value: boolean) => (kind === "mariadb" ? String(Number(value)) : String(value));
  const project = (id: string, parent: string | null, domain = "default") =>
    `insert into project (id, name, extra, description, enabled, domain_id, parent_id, is_domain) values
      ('${id}', '${id}', '{}', '', ${flag(true)}, '${domain}', ${parent === null ? "null" : `'${parent}'`}, ${flag(false)})`;
  const region = (id: string, parent: string) =>
    `insert into region (id, description, parent_region_id, extra) values ('${id}', '', '${parent}', '{}')`;
  const ask = async (path: string) => {
    const { body } = await imported.app.server.inject({
      url: `/v3/${path}`,
      headers: { "x-auth-token": token },
    });
    return JSON.parse(body) as Record<string, Record<string, unknown>>;
  };

  beforeAll(async () => {
    const { ids, tokens } = cloudIds("head");
    token = tokens["admin"] ?? "";
    const other =
      Object.entries(ids).find(([name, id]) => name.startsWith("domain:") && id !== "default")?.[1] ?? "";
    imported = await startImportedCloud({
      cloud: "head",
      kind,
      databases,
      mariadb,
      async change(source) {
        const statements = [
          kind === "mariadb" ? "set foreign_key_checks = 0" : "set session_replication_role = replica",
          project("circle-a", "circle-b"),
          project("circle-b", "circle-a"),
          project("below-circle", "circle-a"),
          project("own-parent", "own-parent"),
          project("no-parent", null),
          project("lost-parent", "gone"),
          project("below-lost", "lost-parent"),
          project("foreign-parent", other),
          project("below-foreign", "foreign-parent"),
          region("circle-1", "circle-2"),
          region("circle-2", "circle-1"),
          region("own-region", "own-region"),
          `update endpoint set region_id = 'circle-1' where id = (select id from (select min(id) as id from endpoint) e)`,
          `update trust set redelegated_trust_id = id where id = (select id from (select min(id) as id from trust where deleted_at is null) e)`,
          `update ${q("user")} set enabled = null where id = '${ids["user:alice"] ?? ""}'`,
        ];
        for (const statement of statements) await source.query(statement);
      },
    });
  }, 120_000);
  afterAll(() => imported.remove());

  it.each([
    ["circle-a", "default", "is in a cycle of parents"],
    ["circle-b", "default", "is in a cycle of parents"],
    ["below-circle", "default", "is in a cycle of parents"],
    ["own-parent", "default", "is in a cycle of parents"],
    ["no-parent", "default", "names no existing project"],
    ["lost-parent", "default", "names no existing project"],
    ["below-lost", "lost-parent", undefined],
    ["foreign-parent", "default", "belongs to another domain"],
    ["below-foreign", "foreign-parent", undefined],
  ])("places project %s below %s", async (id, parent, reason) => {
    expect((await ask(`projects/${id}`))["project"]).toMatchObject({
      parent_id: parent,
      domain_id: "default",
    });
    const line = imported.lines.find((each) => each.includes(`project.parent_id: ${reason}:`));
    expect(reason === undefined || new RegExp(String.raw`\b${id}\b`).test(line ?? "")).toBe(true);
  });

  it("keeps regions of a circle without their parents, and their endpoints", async () => {
    for (const id of ["circle-1", "circle-2", "own-region"])
      expect((await ask(`regions/${id}`))["region"]).toMatchObject({ parent_region_id: null });
    const { endpoints } = (await ask("endpoints")) as unknown as { endpoints: { region_id: string }[] };
    expect(endpoints.map(({ region_id: id }) => id)).toContain("circle-1");
  });

  it("leaves out a trust that was redelegated from itself, and names it", () => {
    expect(imported.lines.join("\n")).toMatch(
      /trust\.redelegated_trust_id: is redelegated from a trust that .*: [0-9a-f]{32}/,
    );
  });

  it("disables a user whose flag is null, as Keystone refuses the login", async () => {
    const { ids } = cloudIds("head");
    expect((await ask(`users/${ids["user:alice"]}`))["user"]).toMatchObject({ enabled: false });
    expect(imported.lines.join("\n")).toContain(`user.enabled: is null: the user is disabled`);
  });

  it("has counts that add up, and no error of the database", () => {
    expect(countsThatDoNotAddUp(imported.lines)).toEqual([]);
    expect(imported.lines.join("\n")).not.toMatch(/foreign key/i);
  });
});
