import { afterEach, beforeEach, expect, it } from "vitest";

import { runImport } from "../../../src/import/import-run.js";
import { accessTokenTransfer } from "../../../src/import/transfers/oauth1-transfers.js";
import type { ReturnContext } from "../../../src/import/table-transfer.js";
import { createConsumerService } from "../../../../identity/src/oauth1/consumer-service.js";
import { findToken, oauth1SecretPlace } from "../../../../identity/src/oauth1/oauth1-store.js";
import type { Database } from "../../../../identity/src/platform/database/database.js";
import { openDatabase } from "../../../../identity/src/platform/database/open-database.js";
import { toMasterKey, unsealSecret } from "../../../../identity/src/platform/secrets/sealing.js";
import { databases, type TestDatabase } from "../../../../identity/test/databases.js";
import { migratedDatabase } from "../../../../identity/test/migrated-databases.js";
import { fakeKeystone, SMALL_CLOUD } from "../fake-keystone.js";

const masterKey = toMasterKey(Buffer.alloc(32, 7));
const CONSUMER = { id: "c1", description: "a consumer", secret: "897ffbe7", extra: '{"site": "x"}' };
const ACCESS = {
  id: "a1",
  access_secret: "5d0e41f8",
  authorizing_user_id: "u1",
  project_id: "p1",
  role_ids: '["r1"]',
  consumer_id: "c1",
  expires_at: "2026-11-24T06:04:24.123456Z",
};

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

async function importToken(more: Readonly<Record<string, string | null>> = {}) {
  const source = fakeKeystone({
    ...SMALL_CLOUD,
    consumer: [CONSUMER],
    access_token: [{ ...ACCESS, ...more }],
  });
  const deps = {
    source,
    database,
    masterKey,
    openBlob: undefined,
    defaultAuthorizationTtl: 0,
    usesDomainDrivers: false,
  };
  const clock = { now: () => Date.UTC(2026, 10, 23) + performance.now() };
  const steps = { onProgress: () => {}, afterRows: () => Promise.resolve() };
  return runImport({ ...deps, ...steps, clock }, { isDryRun: false, isUpdate: false });
}

it(`consumers and access tokens keep their secrets, sealed, on ${databases.name}`, async () => {
  await importToken();
  const consumers = createConsumerService({ database, masterKey, newId: () => "" });
  expect(await consumers.secretOf("c1")).toBe("897ffbe7");
  const token = await findToken(database, "access", "a1");
  expect(token).toMatchObject({ userId: "u1", projectId: "p1", roleIds: ["r1"], consumerId: "c1" });
  expect(token?.expiresAt).toBe(Date.UTC(2026, 10, 24, 6, 4, 24, 123));
  const sealed = token?.sealedSecret ?? Buffer.alloc(0);
  expect(sealed.toString("latin1")).not.toContain("5d0e41f8");
  expect(unsealSecret(masterKey, sealed, oauth1SecretPlace("access", "a1")).toString()).toBe("5d0e41f8");
});

it(`access tokens of a user or project that is gone are left out, on ${databases.name}`, async () => {
  const { report } = await importToken({ authorizing_user_id: "gone" });
  expect(await findToken(database, "access", "a1")).toBeUndefined();
  expect(report.problems()).toContainEqual(
    expect.objectContaining({ kind: "left-out", table: "access_token", column: "authorizing_user_id" }),
  );
});

it("an access token without an end has none again in Keystone", async () => {
  await importToken({ expires_at: null });
  const { expiresAt = 0, sealedSecret = Buffer.alloc(0) } = (await findToken(database, "access", "a1")) ?? {};
  expect(expiresAt).toBe(Date.UTC(9999, 11, 31));
  const context = {
    unseal: (sealed: Buffer, at: string) => unsealSecret(masterKey, sealed, at),
  } as ReturnContext;
  const row = { id: "a1", user_id: "u1", expires_at: expiresAt, sealed_secret: sealedSecret };
  expect(accessTokenTransfer.back.change?.(row, context)).toEqual({
    access_secret: "5d0e41f8",
    authorizing_user_id: "u1",
    expires_at: null,
  });
  const dated = { ...row, expires_at: Date.UTC(2026, 10, 24, 6, 4, 24, 123) };
  expect(accessTokenTransfer.back.change?.(dated, context)).toMatchObject({
    expires_at: "2026-11-24T06:04:24.123000Z",
  });
});
