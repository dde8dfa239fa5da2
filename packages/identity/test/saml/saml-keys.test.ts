/** SAML keys: created once, and rotated while logins continue. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSamlKeys } from "../../src/saml/saml-keys.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { MasterKeyNotInForce } from "../../src/platform/secrets/master-key-in-force.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { databases, type TestDatabase } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";

const masterKey = toMasterKey(Buffer.alloc(32, 1));
const clock = { now: () => Date.parse("2026-11-21T01:00:00Z") };

describe(`keys of SAML on ${databases.name}`, () => {
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
  const replica = (key = masterKey) =>
    createSamlKeys({ database, masterKey: key, clock, commonName: "https://identity.example.org" });
  const serials = ({ keys }: { keys: readonly { certificate: { serialNumber: string } }[] }) =>
    keys.map(({ certificate }) => certificate.serialNumber);

  it("are the same for replicas that make them at the same time", async () => {
    const rings = await Promise.all([replica().current(), replica().current()]);
    expect(rings[0].signing.number).toBe(1);
    expect(serials(rings[0])).toEqual(serials(rings[1]));
  });

  it("sign by one that others have known since the rotation before", async () => {
    const keys = replica();
    const before = await keys.current();
    const [, next] = serials(before);
    const after = await keys.rotate();
    expect(after.signing.certificate.serialNumber).toBe(next);
    expect(serials(after)).toEqual(expect.arrayContaining(serials(before)));
    expect(serials(await replica().current())).toEqual(serials(after));
    expect((await keys.rotate()).keys.map(({ number }) => number)).toEqual([3, 4, 2]);
  });

  it("are sealed by another master key, or not opened", async () => {
    const before = await replica().current();
    const other = toMasterKey(Buffer.alloc(32, 2));
    await resealSecrets(database, { from: masterKey, to: other });
    expect(serials(await replica(other).current())).toEqual(serials(before));
    await expect(replica().current()).rejects.toThrow(MasterKeyNotInForce);
  });
});
