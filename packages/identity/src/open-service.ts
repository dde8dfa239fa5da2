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

/** The areas of the service. They can be used after {@link initializeService}. */
export interface AssembledService {
  readonly platform: Platform;
  /** The services of a transaction. */
  readonly servicesIn: ReturnType<typeof servicesIn>;
  readonly areas: Areas;
  readonly links: Links;
  readonly masterKey: HeldMasterKey;
  readonly keySources: KeySources;
}

export interface Initialization {
  /** Whether this was the first start. */
  readonly isFirst: boolean;
  /** The administrator's password, if generated now. It can't be retrieved later. */
  readonly firstPassword: string | undefined;
}

export interface OpenService extends AssembledService, Initialization, MigratedDatabase {}

/**
 * For commands: opens the database as well.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError} {@link MasterKeyError} {@link KeySourceError}
 */
export async function openService(config: Config, deps: OpenServiceDeps): Promise<OpenService> {
  const opened = await openMigratedDatabase(config, deps);
  try {
    const service = await assembleService(config, opened.database, deps);
    return { ...service, ...(await initializeService(service, deps)), ...opened };
  } catch (error) {
    await opened.database.close();
    throw error;
  }
}

/** Creates the areas. Without any query: the database may not be migrated yet. */
export async function assembleService(
  config: Config,
  database: Database,
  deps: OpenServiceDeps,
): Promise<AssembledService> {
  const { clock, newId, publicUrl } = deps;
  const samlReader =
    deps.samlReader ?? (await import("./federation/protocols/saml2/saml-reader.js")).samlReader;
  const links = createLinks(publicUrl);
  const masterKey = holdMasterKey();
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
  return {
    platform,
    areas: createAreas(platform, options),
    servicesIn: servicesIn(platform, options),
    links,
    masterKey,
    keySources: createKeySources(config),
  };
}

/**
 * Loads the keys, and bootstraps on the first start.
 *
 * @throws {MasterKeyError} {@link KeySourceError}
 */
export async function initializeService(
  { platform, areas, masterKey, keySources: sources }: AssembledService,
  deps: Pick<OpenServiceDeps, "publicUrl" | "awaitKey" | "bootstrapSettings">,
): Promise<Initialization> {
  const { config, database, clock, newId } = platform;
  const { publicUrl, awaitKey = (load) => load(), bootstrapSettings: settings = DEFAULT_BOOTSTRAP } = deps;
  masterKey.replace(await awaitKey(() => masterKeyOf(config, database, { sources, mayCreate: true })));
  // A wrong master key fails here, not at the first login.
  await areas.tokenKeys.signingKeys.load();
  const { adminPassword } = config.secrets;
  const password = adminPassword ?? newPassword();
  const isFirst = await bootstrap(
    { ...areas.passwords, database, clock, newId, publicUrl, settings },
    password,
  );
  const firstPassword = isFirst && adminPassword === undefined ? password : undefined;
  return { isFirst, firstPassword };
}

/** A random password of 144 bits. */
export function newPassword(): string {
  return randomBytes(18).toString("base64url");
}
