import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { TEMPEST_CLASSES, tempestTests } from "./tempest.js";
import { checkTempest } from "./tempest-contract.js";
import { postgresDatabases } from "../../test/databases.js";

/** The ids of tests that a real Keystone passes, if the folder `shared` is next to the checkout. */
const PASSED_BY_KEYSTONE = fileURLToPath(
  new URL("../../../../../shared/identity/tempest/expected-pass.txt", import.meta.url),
);

/** Modules of which every test must pass. */
const WANTED = /^(?:tempest\.api\.identity\.(?:v3|admin\.v3)|keystone_tempest_plugin\.tests)\./;

/** Passed by Debian's Keystone, while the newest tests expect what Keystone of 2026 does: it lists the limits of all domains. */
const KEYSTONE_22_ALONE =
  "keystone_tempest_plugin.tests.rbac.v3.test_limit.DomainAdminTests.test_identity_list_limits";

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
    expect(wanted).toHaveLength(408);
    const ids = new Set(tests.map(({ test }) => test));
    expect(wanted.filter((id) => !ids.has(id))).toEqual([KEYSTONE_22_ALONE]);
  });
});

checkTempest("tempest", postgresDatabases, tests);
