/**
 * Only lists of GET requests may be read from standbys, which can be behind: no login, no validation of a token and no permission
 * depends on these queries.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

/** What follows `database.forLists`, by file. Services of limits, credentials, trusts and revocations are not among them. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "assignments/assignment-service.ts": ["walkGrants", "readGrantContext", "walkGrants"],
  "catalog/endpoint-service.ts": ["endpointTable.list"],
  "catalog/regions/region-service.ts": ["regionTable.list"],
  "catalog/service-service.ts": ["serviceTable.list"],
  "console/audit/audit-trail.ts": ["listAuditEvents"],
  "federation/failed-logins/failed-logins.ts": ["failedLoginTable.list"],
  "groups/group-service.ts": ["listGroups", "countGroups", "countMembers"],
  "identity-providers/identity-provider-service.ts": ["listProviders"],
  "mappings/mapping-service.ts": ["mappingTable.list"],
  "projects/domain-service.ts": ["listProjects"],
  "projects/project-service.ts": ["listProjects", "countProjects"],
  "roles/role-service.ts": ["listRoles", "countRoles"],
  "scim/groups/scim-group-service.ts": ["listProvisionedGroups", "countProvisionedGroups"],
  "scim/secrets/scim-secret-service.ts": ["listScimSecrets"],
  "scim/users/scim-user-service.ts": ["usersWith", "countProvisionedUsers", "listProvisionedUsers"],
  "service-providers/service-provider-service.ts": ["listServiceProviders"],
  "users/federated/shadow-users.ts": ["countUsersOf"],
  "users/user-service.ts": ["countUsers", "userDetails", "listUsers"],
};

/** Services whose lists of GET requests nothing else may call. */
const CALLS =
  /\b(?:assignments\.list(?:Granted|Effective)|(?:endpoints|regions|services|groups|identityProviders|mappings|domains|projects|serviceProviders|users)\.list|roles\.listRoles)\b/;
/**
 * Commands have no standbys, and documents of the federation are read in a transaction. The area of federation lists providers for its
 * metrics.
 */
const CALLERS =
  /-routes\.ts$|^commands\/bootstrap\/repeat-bootstrap\.ts$|^federation-document\/|^federation\/index\.ts$/;

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.startsWith("platform/database/"))
  .map((path) => ({ path, text: readFileSync(SOURCE + path, "utf8") }));

it("are read by the functions that read lists, and by no other", () => {
  const found: Record<string, readonly string[]> = {};
  for (const { path, text } of files) {
    const calls = Array.from(text.matchAll(/([\w.]+)\(\s*database\.forLists/g), ([, called = ""]) => called);
    const mentions = text.split("forLists").length - 1;
    if (mentions > 0) found[path] = mentions === calls.length ? calls : [`${mentions} mentions`];
  }
  expect(found).toEqual(LISTS);
});

it("are called by routes alone", () => {
  const callers = files.filter(({ text }) => CALLS.test(text)).map(({ path }) => path);
  expect(callers.length).toBeGreaterThan(8);
  expect(callers.filter((path) => !CALLERS.test(path))).toEqual([]);
});
