/** `hamkit-identity doctor`: runs all checks of settings, files, database and public URL. Read-only. */
import { existsSync } from "node:fs";

import type { Config } from "../config.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { limitsIn } from "../platform/database/database-settings.js";
import { openDatabase } from "../platform/database/open-database.js";
import { messageOf } from "../platform/errors.js";
import { examineAddress } from "./address-check.js";
import { examineClock, examineKeys, examineRelease } from "./database-checks.js";
import { examineCertificate, examineModes, examineSpace } from "./file-checks.js";
import { examineMultiFactorRules } from "./multi-factor-check.js";
import { examineDomainConfigs } from "./domain-config-check.js";
import { failure, ok, warning, type Check, type Finding } from "./finding.js";
import { examineImport } from "./import-check.js";
import { examinePostgres } from "./postgres-checks.js";
import { examineProtocols } from "./stored-protocol-checks.js";
import { examineProviders } from "./provider-checks.js";

export interface DoctorOptions {
  readonly config: Config;
  /** The path of the settings file, if any. */
  readonly configFile: string | undefined;
  /** Variables with the prefix of settings that are not settings. */
  readonly unknownOptions: readonly string[];
  readonly clock: Clock;
}

/** Yields findings as checks complete. Never throws: errors are findings too. */
export async function* examine(options: DoctorOptions): AsyncGenerator<Finding> {
  const { config, configFile, clock } = options;
  yield* examineSettings(options);
  const path = config.databaseUrl.startsWith("sqlite:")
    ? config.databaseUrl.slice("sqlite:".length)
    : undefined;
  const files = [
    { subject: "settings file", path: configFile },
    { subject: "master key file", path: config.masterKey === undefined ? config.masterKeyFile : undefined },
    { subject: "database file", path },
    { subject: "database log", path: path && `${path}-wal` },
    { subject: "key file", path: config.tlsKeyFile },
  ].flatMap(({ subject, path: given }) => (given === undefined ? [] : { subject, path: given }));
  yield* await found("files", () => examineModes(files));
  yield* await found("certificate", () => examineCertificate(config, clock));
  yield* await found("disk", () => examineSpace(path ?? config.masterKeyFile));
  yield* path !== undefined && !existsSync(path)
    ? [warning("database", `${path} does not exist yet: run hamkit-identity migrate`)]
    : examineDatabase(config, clock);
  yield* await found("public URL", () => examineAddress(config.publicUrl));
}

function examineSettings({ config, configFile, unknownOptions }: DoctorOptions): Finding[] {
  const unknown = unknownOptions.map((name) =>
    warning("settings", `unknown setting ${name}: is it misspelled?`),
  );
  const open = config.allowsHttpIssuers ? [warning("settings", HTTP_ISSUERS)] : [];
  const findings = [...unknown, ...open];
  return findings.length > 0
    ? findings
    : [ok("settings", `valid${configFile ? `, with ${configFile}` : ""}`)];
}

const HTTP_ISSUERS =
  "IDENTITY_ALLOW_HTTP_ISSUERS is on: an attacker on the network path to a provider can forge logins. Use it for development only";

async function* examineDatabase(config: Config, clock: Clock): AsyncGenerator<Finding> {
  let database: Database | undefined;
  try {
    database = openDatabase(config.databaseUrl, { limits: limitsIn(config) });
    await database.ping();
    yield ok("database", `${database.kind} is reachable`);
  } catch (error) {
    yield failure(
      "database",
      `${messageOf(error)}: check IDENTITY_DATABASE_URL, and that the server is running`,
    );
    await database?.close();
    return;
  }
  const open = database;
  yield* await found("database", () => examinePostgres(open, config));
  yield* await found("release", () => examineRelease(open));
  yield* await found("signing keys", () => examineKeys(open, config, clock));
  yield* await found("clock", () => examineClock(open, clock));
  yield* await found("multi-factor", () => examineMultiFactorRules(open));
  yield* await found("providers", () => examineProviders(open));
  yield* await found("providers", () => examineProtocols(open, config, clock));
  yield* await found("domain config", () => examineDomainConfigs(open));
  yield* await found("import", () => examineImport(open));
  await open.close();
}

async function found(subject: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failure(subject, messageOf(error))];
  }
}
