/** Is the database there, is it of this release, does its clock agree, and do the signing keys open? */
import type { Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import { describeClockSkew, MAX_CLOCK_SKEW_MS, measureClockSkew } from "../platform/database/clock-skew.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken, unknownSteps } from "../platform/database/migrations.js";
import { loadMasterKey } from "../platform/master-key.js";
import { createSigningKeyStore } from "../tokens/signing-key-store.js";
import { createSigningKeys, MAX_ACTIVE_KEYS } from "../tokens/signing-keys.js";
import { failure, ok, warning, type Finding } from "./finding.js";

/** The skew beyond which assertions and ID tokens are rejected as not yet valid or expired: the leeway for their clocks. */
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

/** The end of a token, and of all else that lasts for a time, is told by the clock of whichever process is asked. */
export async function examineClock(database: Database, clock: Clock): Promise<Finding[]> {
  const skewMs = await measureClockSkew(database, clock);
  if (skewMs === undefined) return [ok("clock", "the database has this computer's")];
  const text = `this computer's ${describeClockSkew(skewMs)}`;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return [ok("clock", text)];
  const found = Math.abs(skewMs) > TOO_FAR_APART_MS ? failure : warning;
  return [found("clock", `${text}: synchronize both by NTP`)];
}
