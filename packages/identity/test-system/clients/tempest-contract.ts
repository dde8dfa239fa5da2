/** Tests of tempest against a service of their own: tempest needs one without other clients. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TestDatabases } from "../../test/databases.js";
import { runService, type ReachableService } from "../service-process.js";
import { runTempest, type TempestTest } from "./tempest.js";

export function checkTempest(name: string, databases: TestDatabases, tests: readonly TempestTest[]): void {
  describe(`${name}, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let outcomeOf: (test: TempestTest) => string;
    beforeAll(async () => {
      service = await runService(databases);
      outcomeOf = await runTempest(service.url, tests);
    }, 600_000);
    afterAll(() => service.close());

    it.each(tests.map((test) => [shortNameOf(test.test), test] as const))("%s", (_, test) => {
      expect(outcomeOf(test)).toBe("passed");
    });
  });
}

/** Without the module's prefix and the tags: `DomainsTestJSON.test_list_domains` */
function shortNameOf(test: string): string {
  return test.replace(/\[.*/, "").split(".").slice(-2).join(".");
}
