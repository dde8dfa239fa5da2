/** Checks the database: migrations, master key, sealed secrets, age of the signing keys, clock skew, an unfinished import, merged users, configuration of domains. */
import type { Config } from "../config.js";
import { masterKeyOf } from "../master-key-of.js";
import { isForeign, listForeignDrivers, type DirectoryUse } from "../domain-config/domain-config-store.js";
import { LEEWAY_MS } from "../federation/leeway.js";
import { migrations } from "../migrations/migrations.js";
import { isImportUnfinished } from "../passwords/unfinished-import-store.js";
import { formatSeconds, type Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { missingSteps, requiredSteps, stepsTaken, unknownSteps } from "../platform/database/migrate.js";
import { messageOf } from "../platform/errors.js";
import { describeClockSkew, MAX_CLOCK_SKEW_MS, measureClockSkew } from "../platform/health/clock-watch.js";
import { keyIdInForce } from "../platform/secrets/master-key-in-force.js";
import { unsealSecret, type MasterKey, type SealedSecret } from "../platform/secrets/sealing.js";
import { createKeySources, type KeySources } from "../platform/secrets/sources/key-sources.js";
import { findWrappedKey, WRAPPED_KEYS_STEP } from "../platform/secrets/sources/wrapped-key-store.js";
import { listSealedSecrets } from "../sealed-secrets.js";
import { findImportedKeys } from "../tokens/imported/imported-key-store.js";
import { listSigningKeys } from "../tokens/signing-keys.js";
import { mergedCandidates } from "../users/federated/merged-users.js";
import { failure, ok, warning, type Finding } from "./finding.js";

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
  if (!taken.includes(WRAPPED_KEYS_STEP))
    return [warning("secrets", "not checked: the database lacks tables of this release")];
  const [newest] = await listSigningKeys(database);
  if (newest === undefined)
    return [warning("signing keys", "none yet: the service creates them at its first start")];
  const sources = createKeySources(config);
  const masterKey = await masterKeyOf(config, database, { sources });
  const days = Math.floor((clock.now() - newest.createdAt) / 86_400_000);
  return [
    ...(await examineInForce(masterKey, database, sources)),
    ...examineSecrets(masterKey, await listSealedSecrets(database)),
    config.token.keyRotationDays === 0 && days > 90
      ? warning("signing keys", `rotated ${days} days ago: run hamkit-identity keys rotate`)
      : ok("signing keys", `rotated ${days} days ago`),
  ];
}

async function examineInForce(
  { id }: MasterKey,
  database: Database,
  sources: KeySources,
): Promise<Finding[]> {
  const inForce = await keyIdInForce(database);
  const wrapped = await findWrappedKey(database, id);
  if (inForce === id && wrapped === undefined)
    return [
      ok(
        "master key",
        `${id} is in force, from ${sources.kind === "environment" ? "IDENTITY_MASTER_KEY" : sources.plain?.file}`,
      ),
    ];
  if (inForce === id && wrapped !== undefined) {
    const wrapper = await sources.wrapper(wrapped.source);
    const faults = await wrapper.examine(wrapped);
    return [
      ok(
        "master key",
        `${id} is in force, wrapped by ${wrapped.wrappingKey} of ${wrapper.title}, which has just unwrapped it`,
      ),
      ...faults.map((fault) => warning("master key", fault)),
    ];
  }
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
  // With more, assertions and ID tokens are rejected.
  const found = Math.abs(skewMs) > LEEWAY_MS ? failure : warning;
  return [found("clock", `${text}: synchronize both by NTP`)];
}

/** Finds what an import from a Keystone has left: its keys, and hashes that logins do not replace yet. */
export async function examineImport(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0025-imported-tokens")) return [];
  const keys = await findImportedKeys(database);
  return [
    ...((await isImportUnfinished(database)) ? [warning("import", UNFINISHED)] : []),
    ...(keys === undefined
      ? []
      : [warning("imported keys", keysText(formatSeconds(keys.issuedBefore + keys.lifetimeMs)))]),
  ];
}

const UNFINISHED =
  "unfinished: logins keep imported password hashes, which the Keystone reads. When there is no way back, run " +
  "hamkit-identity import --finish";

function keysText(until: string): string {
  return (
    `tokens of the imported Keystone are valid until ${until} at the latest. If others may have the files of its keys, run ` +
    "hamkit-identity keys drop-imported"
  );
}

/** Users listed in the finding; the others are counted. */
const MAX_NAMED = 20;

/** Finds users whose id at a provider may be a number that release 0.2.0 rounded: several users may be one. */
export async function examineMergedUsers(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0045-exact-ids")) return [];
  const found = await mergedCandidates(database);
  if (found.length === 0) return [];
  const named = found
    .slice(0, MAX_NAMED)
    .map(
      ({ userId, idpId, protocolId, uniqueId }) =>
        `${userId} (id "${uniqueId}", identity provider "${idpId}", protocol "${protocolId}")`,
    );
  const more = found.length > MAX_NAMED ? `; ${found.length - MAX_NAMED} more` : "";
  return [
    warning(
      "providers",
      `${found.length === 1 ? "1 user has" : `${found.length} users have`} a number of 2^53 or more in the id, which release 0.2.0 rounded if the provider sends it as a number: ` +
        `each may be several: ${named.join("; ")}${more}. See "Users with large numbers as ids" in the guide to upgrading (upgrading.md)`,
    ),
  ];
}

/** Finds domains whose configuration says that their users are where this service does not find them. */
export async function examineDomainConfigs(database: Database, use: DirectoryUse): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0020-domain-config")) return [];
  const foreign = [...(await listForeignDrivers(database))].filter(([domainId, driver]) =>
    isForeign({ domainId, driver }, use),
  );
  return foreign.map(([domainId, driver]) =>
    warning(
      "domain config",
      `domain ${domainId} has identity.driver ${driver}, which ${reasonOf(driver)}: all logins of its users are ` +
        `rejected. To let them log in here, run hamkit-identity users clear-driver ${domainId}`,
    ),
  );
}

function reasonOf(driver: string): string {
  return driver === '"ldap"'
    ? "has no effect without IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED"
    : "this service does not offer";
}
