import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runService, type ReachableService } from "../service-process.js";
import { runTempest, TEMPEST_CLASSES, tempestTests, type TempestTest } from "./tempest.js";
import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";

/** The ids of tests that a real Keystone passes, if the folder `shared` is next to the checkout. */
const PASSED_BY_KEYSTONE = fileURLToPath(
  new URL("../../../../../shared/identity/tempest/expected-pass.txt", import.meta.url),
);

/** Modules of which every test must pass. */
const WANTED = new RegExp(
  [
    "^tempest\\.api\\.identity\\.(?:v3\\.|admin\\.v3\\.test_(?:application_credentials|domains|domains_negative|groups|list_projects",
    "list_users|projects|projects_negative|project_tags|regions|roles|services|endpoints|endpoints_negative",
    "users|users_negative|tokens|inherits|default_project_id)\\.)",
    "^keystone_tempest_plugin\\.tests\\.(?!api\\.identity\\.v3\\.test_oauth1_tokens)",
  ].join("|"),
);

const tests = await tempestTests();

// The list of tempest's tests.
describe("tempest", () => {
  it.each([...TEMPEST_CLASSES])("has in %s as many tests as are run: %i", (name, count) => {
    expect(tests.filter(({ className }) => className === name)).toHaveLength(count);
  });

  if (!existsSync(PASSED_BY_KEYSTONE)) return;
  it("has no other test of these modules that Keystone passes", () => {
    const passed = readFileSync(PASSED_BY_KEYSTONE, "utf8").split("\n");
    const wanted = passed.filter((id) => WANTED.test(id));
    expect(wanted).toHaveLength(378);
    const ids = new Set(tests.map(({ test }) => test));
    expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
  });
});

// Tempest needs a service without other clients.
for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`tempest, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let outcomeOf: (test: TempestTest) => string;
    beforeAll(async () => {
      service = await runService(databases);
      outcomeOf = await runTempest(service.url);
    }, 300_000);
    afterAll(() => service.close());

    it.each(tests.map((test) => [shortNameOf(test.test), test] as const))("%s", (_, test) => {
      expect(outcomeOf(test)).toBe("passed");
    });
  });

/** Without the module's prefix and the tags: `DomainsTestJSON.test_list_domains` */
function shortNameOf(test: string): string {
  return test.replace(/\[.*/, "").split(".").slice(-2).join(".");
}
