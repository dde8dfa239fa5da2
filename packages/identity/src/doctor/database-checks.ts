/** Checks the database: migrations, master key, sealed secrets, age of the signing keys, clock skew. */
import type { Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import {
  describeClockSkew,
  MAX_CLOCK_SKEW_MS,
  measureClockSkew,
} from "../platform/database/postgres/clock-skew.js";
import type { Database } from "../platform/database/database.js";
import { missingSteps, requiredSteps, stepsTaken, unknownSteps } from "../platform/database/migrate.js";
import { messageOf } from "../platform/errors.js";
import { keyIdInForce } from "../platform/secrets/master-key-in-force.js";
import { loadMasterKey } from "../platform/secrets/master-key.js";
import { unsealSecret, type MasterKey, type SealedSecret } from "../platform/secrets/sealing.js";
import { listSealedSecrets } from "../sealed-secrets.js";
import { listSigningKeys } from "../tokens/signing-key-store.js";
import { failure, ok, warning, type Finding } from "./finding.js";

/** The leeway for assertions and ID tokens: with more skew they are rejected as not yet valid or expired. */
const MAX_LEEWAY_MS = 60_000;

export async function examineRelease(database: Database): Promise<Finding[]> {
  const unknown = unknownSteps(await requiredSteps(database), migrations);
  if (unknown.length > 0)
    return [
      failure(
        "release",
        `the database was migrated by a newer release (${unknown.join(", ")}): run that release`,
      ),
    ];
  const missing = missingSteps(await stepsTaken(database), migrations).length;
  return missing === 0
    ? [ok("release", "the database has all migrations of this release")]
    : [
        warning(
          "release",
          `the database lacks ${missing} migrations: back it up and run hamkit-identity migrate`,
        ),
      ];
}

/** Checks the master key, and that it unseals every secret. */
export async function examineKeys(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  const taken = await stepsTaken(database);
  if (!taken.includes("0026-oauth1"))
    return [warning("secrets", "not checked: the database lacks tables of this release")];
  const [newest] = await listSigningKeys(database);
  if (newest === undefined)
    return [warning("signing keys", "none yet: the service creates them at its first start")];
  const source = { text: config.masterKey, file: config.masterKeyFile, mayCreate: false };
  const masterKey = await loadMasterKey(source);
  const days = Math.floor((clock.now() - newest.createdAt) / 86_400_000);
  return [
    ...(taken.includes("0016-master-key") ? examineInForce(masterKey, await keyIdInForce(database)) : []),
    ...examineSecrets(masterKey, await listSealedSecrets(database)),
    config.keyRotationDays === 0 && days > 90
      ? warning("signing keys", `rotated ${days} days ago: run hamkit-identity keys rotate`)
      : ok("signing keys", `rotated ${days} days ago`),
  ];
}

function examineInForce({ id }: MasterKey, inForce: string | undefined): Finding[] {
  if (inForce === id) return [ok("master key", `${id} is in force`)];
  return [
    failure(
      "master key",
      `${id} is not in force, ${inForce ?? "none"} is: set IDENTITY_MASTER_KEY_FILE to the key in force and restart`,
    ),
  ];
}

/** Unseals every secret, and lists those that fail. */
function examineSecrets(masterKey: MasterKey, secrets: readonly SealedSecret[]): Finding[] {
  const faults = secrets.flatMap(({ sealed, place }) => {
    try {
      unsealSecret(masterKey, sealed, place);
      return [];
    } catch (error) {
      return [failure("secret", `${messageOf(error)}: ${remedyOf(place)}`)];
    }
  });
  return faults.length > 0 ? faults : [ok("secrets", `${masterKey.id} unseals all ${secrets.length}`)];
}

function remedyOf(place: string): string {
  return place.startsWith("protocol/")
    ? "set the secret again by PATCH of the protocol"
    : "use the key that sealed it, or restore a backup";
}

/** Expiry is decided by the clock of the process that serves a request, so clocks must agree. */
export async function examineClock(database: Database, clock: Clock): Promise<Finding[]> {
  const skewMs = await measureClockSkew(database, clock);
  if (skewMs === undefined) return [ok("clock", "the database uses the clock of this computer")];
  const text = `this computer's ${describeClockSkew(skewMs)}`;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return [ok("clock", text)];
  const found = Math.abs(skewMs) > MAX_LEEWAY_MS ? failure : warning;
  return [found("clock", `${text}: synchronize both by NTP`)];
}
