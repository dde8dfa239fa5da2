/** Glance, which asks the service for the limits of images (`use_keystone_limits`), and makes a trust for each upload. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { runService, type ReachableService } from "../service-process.js";
import { outcomesOf } from "./outcomes.js";

/**
 * Three images by default, and one MiB: Glance checks what is stored before an upload, so that one upload may reach over the limit.
 *
 * @see https://docs.openstack.org/glance/latest/admin/quotas.html
 */
const OUTCOMES = {
  "images up to the default": [201, 201, 201],
  "an image above the default": 413,
  "images up to a limit of the project": [201, 201],
  "an image above the limit of the project": 413,
  "an image after the limit was raised": 201,
  "an image after the limit was lowered": 413,
  "an image after the limit was deleted": 413,
  "an upload to the limit of bytes": 204,
  "an upload that reaches over it": 204,
  "an upload above it": 413,
  "a download": 1_048_576,
  "without a token": 401,
  "trusts of uploads": { made: 2, left: 0 },
};

for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`Glance, and the service on ${databases.name}`, () => {
    let service: ReachableService;
    let outcomes: Readonly<Record<string, unknown>>;
    beforeAll(async () => {
      service = await runService(databases);
      outcomes = await outcomesOf("glance-images.py", service.url);
    });
    afterAll(() => service.close());

    it.each(Object.entries(OUTCOMES))("%s: %j", (check, outcome) => {
      expect(outcomes[check]).toEqual(outcome);
    });
  });
