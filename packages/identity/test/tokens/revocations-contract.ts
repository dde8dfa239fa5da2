/** What ends tokens, on every kind of database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrations.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId } from "../../src/platform/ids.js";
import type { RevocableToken } from "../../src/tokens/revocation.js";
import { createRevocations, type Revocations } from "../../src/tokens/revocations.js";
import type { TestDatabase, TestDatabases } from "../databases.js";

const HOUR_MS = 3_600_000;

export function revocationsContract(databases: TestDatabases): void {
  let place: TestDatabase;
  let database: Database;
  let now: number;
  let revocations: Revocations;
  beforeEach(async () => {
    place = await databases.create();
    database = openDatabase(place.url);
    await migrate(database, migrations);
    now = Date.UTC(2026, 10, 21);
    revocations = replica();
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  function replica(): Revocations {
    return createRevocations({ database, clock: { now: () => now }, newId, retentionMs: 2 * HOUR_MS });
  }

  function token(features: Partial<RevocableToken> = {}): RevocableToken {
    return {
      auditId: "audit",
      auditChainId: "chain",
      userId: "user",
      userDomainId: "domain",
      roleIds: ["member"],
      issuedAt: now,
      expiresAt: now + HOUR_MS,
      ...features,
    };
  }

  describe(`revocations on ${databases.name}`, () => {
    it("end one token, and leave others", async () => {
      expect(await revocations.isRevoked(token())).toBe(false);
      await revocations.revoke({ auditId: "audit" });
      expect(await revocations.isRevoked(token())).toBe(true);
      expect(await revocations.isRevoked(token({ auditId: "other" }))).toBe(false);
    });

    it.each([
      [{ userId: "user" }],
      [{ projectId: "p" }],
      [{ roleId: "member" }],
      [{ domainId: "domain" }],
      [{ auditChainId: "chain" }],
    ])("end the tokens with %j, and not those issued later", async (end) => {
      const ended = token({ projectId: "p", projectDomainId: "domain" });
      await revocations.revoke(end);
      expect(await revocations.isRevoked(ended)).toBe(true);
      now += 1;
      expect(await revocations.isRevoked({ ...ended, issuedAt: now })).toBe(false);
    });

    it("happen with the change that causes them, or not at all", async () => {
      const failure = database.transaction(
        async (transaction) => {
          await revocations.endTokens(transaction, { userId: "user" });
          throw new Error("the change failed");
        },
        { changes: ["facts", "revocations"] },
      );
      await expect(failure).rejects.toThrow("the change failed");
      expect(await revocations.isRevoked(token())).toBe(false);
    });

    it("are known to who starts later", async () => {
      await revocations.revoke({ userId: "user" });
      expect(await replica().isRevoked(token())).toBe(true);
    });

    it("are noticed by others who were there before", async () => {
      const other = replica();
      expect(await other.isRevoked(token())).toBe(false);
      await revocations.revoke({ userId: "user" });
      expect(await other.isRevoked(token())).toBe(true);
    });

    it("are removed when no token is left that they could concern", async () => {
      await revocations.revoke({ userId: "user" });
      now += 3 * HOUR_MS;
      await revocations.revoke({ userId: "other" });
      const rows = await database
        .tables<{ revocation_event: { user_id: string } }>()
        .selectFrom("revocation_event")
        .select("user_id")
        .execute();
      expect(rows).toEqual([{ user_id: "other" }]);
    });
  });
}
