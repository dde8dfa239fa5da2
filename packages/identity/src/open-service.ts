/** The service as far as it needs no network: a database of this release, its secrets opened, and everything that a first start makes. */
import { randomBytes } from "node:crypto";

import { bootstrap } from "./bootstrap.js";
import { DEFAULT_BOOTSTRAP, type BootstrapSettings } from "./bootstrap-settings.js";
import type { Config } from "./config.js";
import { createFeatures, type Features } from "./features.js";
import { samlReader as ownReader, type SamlReader } from "./federation/saml/saml-reader.js";
import { migrations } from "./migrations/migrations.js";
import type { Clock } from "./platform/clock.js";
import type { Database, DatabaseEvents } from "./platform/database/database.js";
import { migrate } from "./platform/database/migrations.js";
import { openDatabase } from "./platform/database/open-database.js";
import { createLinks, type Links } from "./platform/http/links.js";
import type { NewId } from "./platform/ids.js";
import { loadMasterKey, type MasterKeySource } from "./platform/secrets/master-key.js";
import { listSigningKeys } from "./tokens/signing-key-store.js";

/** Settings with which links can be made. */
export type LinkedConfig = Config & { readonly publicUrl: string };

export interface OpenServiceDeps extends DatabaseEvents {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Reads messages of SAML; if left out, that is done where everything else is. */
  readonly samlReader?: SamlReader | undefined;
  /** What a first start makes; what `serve` makes, if left out. */
  readonly bootstrapSettings?: BootstrapSettings | undefined;
}

export interface OpenService {
  readonly database: Database;
  readonly features: Features;
  readonly links: Links;
  /** The steps that brought the database to this release. */
  readonly steps: readonly string[];
  /** Whether this was the first start. */
  readonly isFirst: boolean;
  /** The administrator's password, where it has been made up just now; nobody is told again. */
  readonly firstPassword: string | undefined;
}

/** @throws {DatabaseUnavailable} {@link NewerDatabaseError} {@link MasterKeyError} */
export async function openService(config: LinkedConfig, deps: OpenServiceDeps): Promise<OpenService> {
  const database = openDatabase(config.databaseUrl, deps);
  try {
    const steps = await migrate(database, migrations);
    return { ...(await assemble(config, database, deps)), database, steps };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function assemble(config: LinkedConfig, database: Database, deps: OpenServiceDeps) {
  const { clock, newId, samlReader = ownReader, bootstrapSettings: settings = DEFAULT_BOOTSTRAP } = deps;
  const { publicUrl, adminPassword } = config;
  const links = createLinks(publicUrl);
  const masterKey = await loadMasterKey(await keySource(config, database));
  const features = createFeatures({ config, database, links, clock, newId, masterKey, samlReader });
  // A wrong key is found out now, and not by the first who logs in.
  await features.signingKeys.load();
  const password = adminPassword ?? newPassword();
  const isFirst = await bootstrap({ ...features, database, clock, newId, publicUrl, settings }, password);
  const firstPassword = isFirst && adminPassword === undefined ? password : undefined;
  return { features, links, isFirst, firstPassword };
}

/** A key is made where nothing has been sealed by one yet. */
async function keySource(config: Config, database: Database): Promise<MasterKeySource> {
  const { masterKey: text, masterKeyFile: file } = config;
  const sealed = await listSigningKeys(database);
  return { text, file, mayCreate: sealed.length === 0 };
}

/** A password that nobody guesses. */
export function newPassword(): string {
  return randomBytes(18).toString("base64url");
}
