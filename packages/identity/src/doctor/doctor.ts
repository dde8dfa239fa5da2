/** Looks at all that the service needs, without changing anything. */
import { existsSync } from "node:fs";

import type { Config } from "../config.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { openDatabase } from "../platform/database/open-database.js";
import { messageOf } from "../platform/errors.js";
import { examineAddress } from "./address-check.js";
import { examineClock, examineKeys, examineRelease } from "./database-checks.js";
import { examineCertificate, examineModes, examineSpace } from "./file-checks.js";
import { examineMultiFactorRules } from "./multi-factor-check.js";
import { failure, ok, warning, type Check, type Finding } from "./finding.js";
import { examineProviders } from "./provider-checks.js";

export interface Examination {
  readonly config: Config;
  /** Where the settings were read from, if from a file. */
  readonly configFile: string | undefined;
  /** Variables that look like settings and are none. */
  readonly unknownOptions: readonly string[];
  readonly clock: Clock;
}

/** What there is to say, one thing after the other. Nothing is thrown: what goes wrong is a finding too. */
export async function* examine(examination: Examination): AsyncGenerator<Finding> {
  const { config, configFile, clock } = examination;
  yield* examineSettings(examination);
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
    ? [warning("database", `there is none at ${path} yet: hamkit-identity migrate makes it`)]
    : examineDatabase(config, clock);
  yield* await found("public URL", () => examineAddress(config.publicUrl));
}

function examineSettings({ config, configFile, unknownOptions }: Examination): Finding[] {
  const unknown = unknownOptions.map((name) => warning("settings", `${name} is no setting: is it misspelt?`));
  const open = config.allowsHttpIssuers ? [warning("settings", HTTP_ISSUERS)] : [];
  const findings = [...unknown, ...open];
  return findings.length > 0
    ? findings
    : [ok("settings", `are valid${configFile ? `, with ${configFile}` : ""}`)];
}

const HTTP_ISSUERS =
  "IDENTITY_ALLOW_HTTP_ISSUERS is on: whoever is on the way to a provider can let anybody in. It is for development alone";

async function* examineDatabase(config: Config, clock: Clock): AsyncGenerator<Finding> {
  let database: Database | undefined;
  try {
    database = openDatabase(config.databaseUrl);
    await database.ping();
    yield ok("database", `${database.kind} answers`);
  } catch (error) {
    yield failure("database", `${messageOf(error)}: check IDENTITY_DATABASE_URL, and that it runs`);
    await database?.close();
    return;
  }
  const open = database;
  yield* await found("release", () => examineRelease(open));
  yield* await found("signing keys", () => examineKeys(open, config, clock));
  yield* await found("clock", () => examineClock(open, clock));
  yield* await found("multi-factor", () => examineMultiFactorRules(open));
  yield* await found("providers", () => examineProviders(open));
  await open.close();
}

async function found(subject: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failure(subject, messageOf(error))];
  }
}
