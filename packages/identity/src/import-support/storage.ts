/** The database and its secrets: how the package @hamkit/identity-import reads and writes rows, and seals what they contain. */
export { CompiledQuery, sql, type Kysely, type RawBuilder } from "kysely";

export { openMigrated } from "../commands/open-migrated.js";
export { blobPlace } from "../credentials/credential.js";
export { secretPlace } from "../domain-config/domain-config-store.js";
export { migrations } from "../migrations/migrations.js";
export { oauth1SecretPlace } from "../oauth1/oauth1-store.js";
export { beginImport, finishImport } from "../passwords/unfinished-import-store.js";
export { systemClock, type Clock, type Moment } from "../platform/clock.js";
export {
  DatabaseUnavailable,
  ForeignKeyViolation,
  UniqueViolation,
  UnstorableText,
} from "../platform/database/database-errors.js";
export type { Database, Queries } from "../platform/database/database.js";
export { migrate } from "../platform/database/migrate.js";
export { openDatabase } from "../platform/database/open-database.js";
export { newId, randomBytes } from "../platform/ids.js";
export { sealingIn, type Seal } from "../platform/secrets/master-key-in-force.js";
export { masterKeyOf } from "../master-key-of.js";
export { unsealSecret, type MasterKey } from "../platform/secrets/sealing.js";
export { decryptFernet, encryptFernet, toFernetKey } from "../tokens/fernet.js";
export { storeImportedKeys } from "../tokens/imported/imported-tokens.js";
export {
  existingEventIds,
  insertEvents,
  nextPosition,
  type IdentifiedEvent,
} from "../tokens/revocation-store.js";
export type { RevocationEvent } from "../tokens/revocation.js";
export { listSigningKeys } from "../tokens/signing-keys.js";
