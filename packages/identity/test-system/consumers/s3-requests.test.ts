/** Swift's S3 API: it has the service verify the signatures of requests, and gets the user, the project and the roles. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { runService, type ReachableService } from "../service-process.js";
import { outcomesOf } from "./outcomes.js";

/** The status, and the accounts that were reached. */
const OUTCOMES = {
  "a signature of version 4": [200, ["/v1/AUTH_atelier"]],
  "a signature of version 2": [200, ["/v1/AUTH_atelier"]],
  "a signature by another secret": [403, []],
  "an unknown key": [403, []],
  "a date that was not signed": [403, []],
  "a service without a login": [403, []],
  "a deleted key": [403, []],
};

for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`Swift's S3 API, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let outcomes: Readonly<Record<string, unknown>>;
    beforeAll(async () => {
      service = await runService(databases);
      outcomes = await outcomesOf("s3-requests.py", service.url);
    });
    afterAll(() => service.close());

    it.each(Object.entries(OUTCOMES))("%s: %j", (check, outcome) => {
      expect(outcomes[check]).toEqual(outcome);
    });
  });
