/** Assembles the service without network on its database: loads its keys, bootstraps on the first start, and creates the areas. */
import { randomBytes } from "node:crypto";

import { bootstrap } from "./bootstrap.js";
import { DEFAULT_BOOTSTRAP, type BootstrapSettings } from "./bootstrap-settings.js";
import type { Config } from "./config.js";
import type { Platform } from "./area.js";
import { createAreas, type Areas } from "./areas.js";
import { createPublish } from "./events/event-log.js";
import type { SamlReader } from "./federation/protocols/saml2/saml-reader.js";
import type { ProtocolType } from "./federation/protocols/protocol-type.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { createLinks, type Links } from "./platform/http/links.js";
import { createDeletions } from "./policy/deletions.js";
import { openMigratedDatabase, type MigratedDatabase } from "./migrated-database.js";
import type { NewId } from "./platform/ids.js";
import { servicesIn } from "./services-in-transaction.js";
import { holdMasterKey, type HeldMasterKey } from "./platform/secrets/held-master-key.js";
import { createKeySources, type KeySources } from "./platform/secrets/sources/key-sources.js";
import { masterKeyOf } from "./master-key-of.js";
import type { MasterKey } from "./platform/secrets/sealing.js";

export interface OpenServiceDeps {
  readonly clock: Clock;
  readonly newId: NewId;
  /** The base URL for clients: that of the settings, or the listening address. */
  readonly publicUrl: string;
  /** Parses SAML messages; on the main thread by default. */
  readonly samlReader?: SamlReader | undefined;
  /** Login protocols besides those of the service. */
  readonly protocolTypes?: readonly ProtocolType[] | undefined;
  /** Loads the master key again until its source gives it; only once by default. */
  readonly awaitKey?: ((load: () => Promise<MasterKey>) => Promise<MasterKey>) | undefined;
  /** {@link DEFAULT_BOOTSTRAP} by default. */
  readonly bootstrapSettings?: BootstrapSettings | undefined;
}

export interface AssembledService {
  readonly platform: Platform;
  /** The services of a transaction. */
  readonly servicesIn: ReturnType<typeof servicesIn>;
  readonly areas: Areas;
  readonly links: Links;
  readonly masterKey: HeldMasterKey;
  readonly keySources: KeySources;
  /** Whether this was the first start. */
  readonly isFirst: boolean;
  /** The administrator's password, if generated now. It can't be retrieved later. */
  readonly firstPassword: string | undefined;
}

export interface OpenService extends AssembledService, MigratedDatabase {}

/**
 * For commands: opens the database as well.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError} {@link MasterKeyError} {@link KeySourceError}
 */
export async function openService(config: Config, deps: OpenServiceDeps): Promise<OpenService> {
  const opened = await openMigratedDatabase(config, deps);
  try {
    return { ...(await assembleService(config, opened.database, deps)), ...opened };
  } catch (error) {
    await opened.database.close();
    throw error;
  }
}

/** @throws {MasterKeyError} {@link KeySourceError} */
export async function assembleService(
  config: Config,
  database: Database,
  deps: OpenServiceDeps,
): Promise<AssembledService> {
  const { clock, newId, publicUrl, bootstrapSettings: settings = DEFAULT_BOOTSTRAP } = deps;
  const samlReader =
    deps.samlReader ?? (await import("./federation/protocols/saml2/saml-reader.js")).samlReader;
  const { adminPassword } = config.secrets;
  const links = createLinks(publicUrl);
  const keySources = createKeySources(config);
  const load = () => masterKeyOf(config, database, { sources: keySources, mayCreate: true });
  const masterKey = holdMasterKey(await (deps.awaitKey ?? ((loading) => loading()))(load));
  const platform: Platform = {
    config,
    database,
    clock,
    newId,
    links,
    defaultPageSize: config.server.defaultPageSize,
    masterKey,
    deletions: createDeletions(),
    publish: createPublish(database, config.events),
  };
  const options = { samlReader, protocolTypes: deps.protocolTypes };
  const areas = createAreas(platform, options);
  // A wrong master key fails here, not at the first login.
  await areas.tokenKeys.signingKeys.load();
  const password = adminPassword ?? newPassword();
  const isFirst = await bootstrap(
    { ...areas.passwords, database, clock, newId, publicUrl, settings },
    password,
  );
  const firstPassword = isFirst && adminPassword === undefined ? password : undefined;
  const joined = servicesIn(platform, options);
  return { platform, areas, servicesIn: joined, links, masterKey, keySources, isFirst, firstPassword };
}

/** A random password of 144 bits. */
export function newPassword(): string {
  return randomBytes(18).toString("base64url");
}
