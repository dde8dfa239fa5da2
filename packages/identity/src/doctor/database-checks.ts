/** Is the database there, is it of this release, does its clock agree, and does every secret open? */
import type { Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import {
  describeClockSkew,
  MAX_CLOCK_SKEW_MS,
  measureClockSkew,
} from "../platform/database/postgres/clock-skew.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken, unknownSteps } from "../platform/database/migrations.js";
import { messageOf } from "../platform/errors.js";
import { keyIdInForce } from "../platform/secrets/master-key-in-force.js";
import { loadMasterKey } from "../platform/secrets/master-key.js";
import { openSecret, type MasterKey, type SealedSecret } from "../platform/secrets/sealing.js";
import { listSealedSecrets } from "../sealed-secrets.js";
import { listSigningKeys } from "../tokens/signing-key-store.js";
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

/** The master key, and whether it opens every secret in the database. */
export async function examineKeys(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  const taken = await stepsTaken(database);
  if (!taken.includes("0010-saml-keys"))
    return [warning("secrets", "not examined: the database lacks the tables of this release")];
  const [newest] = await listSigningKeys(database);
  if (newest === undefined)
    return [warning("signing keys", "there are none yet: the service makes them as it starts")];
  const source = { text: config.masterKey, file: config.masterKeyFile, mayCreate: false };
  const masterKey = await loadMasterKey(source);
  const days = Math.floor((clock.now() - newest.createdAt) / 86_400_000);
  return [
    ...(taken.includes("0016-master-key") ? examineInForce(masterKey, await keyIdInForce(database)) : []),
    ...examineSecrets(masterKey, await listSealedSecrets(database)),
    config.keyRotationDays === 0 && days > 90
      ? warning("signing keys", `renewed ${days} days ago: run hamkit-identity keys rotate`)
      : ok("signing keys", `renewed ${days} days ago`),
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

/** Opens every one, and names those that don't open. */
function examineSecrets(masterKey: MasterKey, secrets: readonly SealedSecret[]): Finding[] {
  const faults = secrets.flatMap(({ sealed, place }) => {
    try {
      openSecret(masterKey, sealed, place);
      return [];
    } catch (error) {
      return [failure("secret", `${messageOf(error)}: ${remedyOf(place)}`)];
    }
  });
  return faults.length > 0 ? faults : [ok("secrets", `${masterKey.id} opens all ${secrets.length}`)];
}

function remedyOf(place: string): string {
  return place.startsWith("protocol/")
    ? "set the secret again by PATCH of the protocol"
    : "use the key that sealed it, or restore a backup";
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
