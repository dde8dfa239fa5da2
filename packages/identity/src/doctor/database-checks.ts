/** Is the database there, is it of this release, does its clock agree, and do the signing keys open? */
import { sql } from "kysely";

import type { Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken, unknownSteps } from "../platform/database/migrations.js";
import { loadMasterKey } from "../platform/master-key.js";
import { createSigningKeyStore } from "../tokens/signing-key-store.js";
import { createSigningKeys, MAX_ACTIVE_KEYS } from "../tokens/signing-keys.js";
import { failure, ok, warning, type Finding } from "./finding.js";

/** How far the clocks may be apart until somebody should look, and until tokens of other replicas are from the future. */
const APART_MS = 1000;
const TOO_FAR_APART_MS = 60_000;

export async function examineRelease(database: Database): Promise<Finding[]> {
  const taken = await stepsTaken(database);
  const unknown = unknownSteps(taken, migrations);
  if (unknown.length > 0)
    return [
      failure("release", `a newer release made the database, with ${unknown.join(", ")}: run that one`),
    ];
  const missing = migrations.length - taken.length;
  return missing === 0
    ? [ok("release", "the database is that of this release")]
    : [warning("release", `the database lacks ${missing} steps: back it up and run hamkit-identity migrate`)];
}

/** The master key, and whether the keys in the database are sealed by it. */
export async function examineKeys(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  const isMade = (await stepsTaken(database)).includes("0005-tokens");
  const store = createSigningKeyStore(database);
  const count = isMade ? (await store.list()).length : 0;
  const source = { text: config.masterKey, file: config.masterKeyFile, mayCreate: false };
  if (count === 0)
    return [warning("signing keys", "there are none yet: the service makes them as it starts")];
  const masterKey = await loadMasterKey(source);
  const keys = createSigningKeys({ store, masterKey, clock, maxActiveKeys: MAX_ACTIVE_KEYS });
  const { rotatedAt } = await keys.load();
  const days = Math.floor((clock.now() - rotatedAt) / 86_400_000);
  return [
    ok("master key", `${masterKey.id} opens the ${count} signing keys`),
    config.keyRotationDays === 0 && days > 90
      ? warning("signing keys", `renewed ${days} days ago: run hamkit-identity keys rotate`)
      : ok("signing keys", `renewed ${days} days ago`),
  ];
}

/** Moments in the database are compared with this computer's time. */
export async function examineClock(database: Database, clock: Clock): Promise<Finding[]> {
  if (database.kind === "sqlite") return [ok("clock", "the database has this computer's")];
  const before = clock.now();
  const { rows } = await sql<{ moment: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as moment`.execute(database.tables());
  const after = clock.now();
  const apartMs = Math.max(before - (rows[0]?.moment ?? 0), (rows[0]?.moment ?? 0) - after, 0);
  const text = `${(apartMs / 1000).toFixed(1)} s apart from the database's`;
  if (apartMs > TOO_FAR_APART_MS) return [failure("clock", `${text}: have both set by NTP`)];
  return [apartMs > APART_MS ? warning("clock", `${text}: have both set by NTP`) : ok("clock", text)];
}
