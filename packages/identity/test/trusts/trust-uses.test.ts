import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases, type TestDatabase } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { takeUse } from "../../src/trusts/trust-uses.js";
import { trustTable } from "../../src/trusts/trust.js";

/** Connections of their own, as processes have. */
const PROCESSES = 4;
const TRIALS = 40;
const USES = 3;
const LOGINS = 8;

let place: TestDatabase;
let processes: Database[];
beforeAll(async () => {
  place = await migratedDatabase(databases);
  processes = Array.from({ length: PROCESSES }, () => openDatabase(place.url));
  const domain = { id: "d", name: "d", parent_id: null, domain_id: null, is_domain: true };
  const extra = { enabled: true, options: "{}", extra: "{}" };
  const tables = first().tables<Record<"project" | "user", object>>();
  await tables
    .insertInto("project")
    .values({ ...domain, ...extra, description: "" })
    .execute();
  for (const id of ["alice", "bob"])
    await tables
      .insertInto("user")
      .values({
        id,
        name: id,
        domain_id: "d",
        created_at: 0,
        failed_logins: 0,
        is_federated: false,
        ...extra,
      })
      .execute();
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await place.remove();
});

function first(): Database {
  return processes[0] as Database;
}

describe(`the remaining uses of a trust on ${databases.name}`, () => {
  it("are taken exactly, whatever process takes them", async () => {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const id = `trust-${trial}`;
      const parties = { trustorId: "alice", trusteeId: "bob", projectId: "d", impersonation: false };
      const rest = {
        redelegationCount: 0,
        redelegatedTrustId: null,
        expiresAt: null,
        expiresMicros: null,
        deletedAt: null,
      };
      const trust = { id, ...parties, ...rest, remainingUses: USES, extra: {} };
      await first().transaction((transaction) => trustTable.insert(transaction, trust));
      const taken = await Promise.all(
        Array.from({ length: LOGINS }, (_, index) =>
          takeUse(processes[index % PROCESSES] as Database, id, Date.now()),
        ),
      );
      expect(taken.filter(Boolean)).toHaveLength(USES);
      expect((await trustTable.require(first(), id)).remainingUses).toBe(0);
    }
  }, 120_000);
});
