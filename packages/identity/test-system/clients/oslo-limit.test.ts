/** oslo.limit, the library by which OpenStack's services enforce limits. */
import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  postgresDatabases,
  sqliteDatabases,
  type TestDatabases,
  servedDatabases,
} from "../../test/databases.js";
import { askClient } from "../run-program.js";
import { ADMIN_PASSWORD, runService, type ReachableService } from "../service-process.js";

/** Three pages are in use. Refusals contain resource, limit, usage and the requested amount. */
const FLAT = {
  "up to the default": "allowed",
  "above the default": [["pages", 5, 3, 3]],
  "what has no registered limit": [["boards", 0, 0, 1]],
  "above an own limit": [["pages", 4, 3, 2]],
  "up to a raised limit": "allowed",
  "above a raised limit": [["pages", 8, 3, 6]],
  "another project": [["pages", 5, 3, 3]],
  "a limit of nothing": [["pages", 0, 3, 0]],
};

/** Neither does it work with a Keystone of two levels: it writes the name with hyphens, and has no more of it than that. */
const NOT_SUPPORTED = ["ValueError", "enforcement model strict_two_level is not supported"];

async function enforceBy(service: ReachableService): Promise<Record<string, unknown>> {
  const suffix = `-${randomBytes(4).toString("hex")}`;
  const question = { url: service.url, password: ADMIN_PASSWORD, suffix };
  const answers = (await askClient("oslo-limit.py", question)) as { check: string; value: unknown }[];
  return Object.fromEntries(answers.map(({ check, value }) => [check, value]));
}

describe.each<TestDatabases>(servedDatabases(postgresDatabases))(
  "oslo.limit, and the service on $name",
  (databases) => {
    let service: ReachableService;
    let answers: Record<string, unknown>;
    beforeAll(async () => {
      service = await runService(databases);
      answers = await enforceBy(service);
    });
    afterAll(() => service.close());

    it.each(Object.entries(FLAT))("enforces: %s", (check, value) => {
      expect(answers[check]).toEqual(value);
    });
  },
);

it("oslo.limit knows flat limits alone", async () => {
  const service = await runService(sqliteDatabases, { IDENTITY_ENFORCEMENT_MODEL: "strict_two_level" });
  try {
    const values = Object.values(await enforceBy(service));
    expect(values).toEqual(Object.keys(FLAT).map(() => NOT_SUPPORTED));
  } finally {
    await service.close();
  }
});
