/** `hamkit-identity doctor`: runs all checks of settings, files, database and public URL. Read-only. */
import { existsSync } from "node:fs";

import type { Config } from "../config.js";
import type { Clock } from "../platform/clock.js";
import { connectionSettingsOf } from "../platform/database/database-settings.js";
import type { Database } from "../platform/database/database.js";
import { openDatabase } from "../platform/database/open-database.js";
import { messageOf } from "../platform/errors.js";
import {
  examineClock,
  examineKeys,
  examineRelease,
  examineMergedUsers,
  examineDomainConfigs,
  examineImport,
} from "./database-checks.js";
import { examineCertificate, examineModes, examineSpace } from "./file-checks.js";
import { failure, ok, warning, type Check, type Finding } from "./finding.js";
import { examineMultiFactorRules } from "./multi-factor-check.js";
import { examinePostgres } from "./postgres-checks.js";
import { examineProcesses } from "./process-checks.js";
import { examineProviders } from "./provider-checks.js";
import { examineProtocols } from "./stored-protocol-checks.js";

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
  const path = config.database.url.startsWith("sqlite:")
    ? config.database.url.slice("sqlite:".length)
    : undefined;
  const files = [
    { subject: "settings file", path: configFile },
    {
      subject: "master key file",
      path: usesKeyFile(config) ? config.secrets.masterKeyFile : undefined,
    },
    { subject: "database file", path },
    { subject: "database log", path: path && `${path}-wal` },
    { subject: "key file", path: config.server.tlsKeyFile },
  ].flatMap(({ subject, path: given }) => (given === undefined ? [] : { subject, path: given }));
  yield* await found("files", () => examineModes(files));
  yield* await found("certificate", () => examineCertificate(config.server, clock));
  yield* await found("disk", () => examineSpace(path ?? config.secrets.masterKeyFile));
  yield* path !== undefined && !existsSync(path)
    ? [warning("database", `${path} does not exist yet: run hamkit-identity migrate`)]
    : examineDatabase(config, clock);
  yield* await found("public URL", () => examineAddress(config.server.publicUrl));
}

function usesKeyFile({ secrets }: Config): boolean {
  return secrets.masterKeySource === "file" && secrets.masterKey === undefined;
}

function examineSettings({ config, configFile, unknownOptions }: DoctorOptions): Finding[] {
  const unknown = unknownOptions.map((name) =>
    warning("settings", `unknown setting ${name}: is it misspelled?`),
  );
  const open = [
    ...(config.federation.allowsHttpIssuers ? [warning("settings", HTTP_ISSUERS)] : []),
    ...(config.credential.allowsCrossDomain ? [warning("settings", CROSS_DOMAIN_CREDENTIALS)] : []),
  ];
  const findings = [...unknown, ...open];
  return findings.length > 0
    ? findings
    : [ok("settings", `valid${configFile ? `, with ${configFile}` : ""}`)];
}

const HTTP_ISSUERS =
  "IDENTITY_ALLOW_HTTP_ISSUERS is on: an attacker on the network path to a provider can forge logins. Use it for development only";

const CROSS_DOMAIN_CREDENTIALS =
  "IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS is on: an administrator of any domain or project reads the secrets of all users. Use it for tests of tempest only";

async function* examineDatabase(config: Config, clock: Clock): AsyncGenerator<Finding> {
  let database: Database | undefined;
  try {
    database = openDatabase(config.database.url, { limits: connectionSettingsOf(config.database) });
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
  yield* await found("database", () => examinePostgres(open, config.database));
  yield* await found("release", () => examineRelease(open));
  yield* await found("signing keys", () => examineKeys(open, config, clock));
  yield* await found("clock", () => examineClock(open, clock));
  yield* await found("multi-factor", () => examineMultiFactorRules(open));
  yield* await found("providers", () => examineProviders(open));
  yield* await found("providers", () => examineMergedUsers(open));
  yield* await found("providers", () => examineProtocols(open, config, clock));
  yield* await found("domain config", () =>
    examineDomainConfigs(open, {
      usesDrivers: config.directory.hasDomainDrivers,
      hasDefaultDirectory: config.defaultDirectory.driver === "ldap",
    }),
  );
  yield* await found("import", () => examineImport(open));
  yield* await found("processes", () => examineProcesses(open, clock));
  await open.close();
}

async function found(subject: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failure(subject, messageOf(error))];
  }
}

const TIMEOUT_MS = 5000;
const MAX_IMPAIRMENTS = 20;

/** Checks that the public URL reaches this service, and what a running process of it reports. */
async function examineAddress(publicUrl: string | undefined): Promise<Finding[]> {
  if (publicUrl === undefined)
    return [warning("public URL", "not set: links use the listening address. Set IDENTITY_PUBLIC_URL")];
  const url = `${publicUrl}/v3`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    const body = (await response.json()) as { readonly version?: { readonly id?: unknown } };
    if (typeof body.version?.id !== "string")
      return [
        warning(
          "public URL",
          `${url} returns status ${response.status} without the version document of this service: check the proxy`,
        ),
      ];
    return [
      ok("public URL", `${url} returns version ${body.version.id}`),
      ...(await examineReadiness(`${publicUrl}/readyz`)),
    ];
  } catch (error) {
    return [
      warning(
        "public URL",
        `no response from ${url} (${messageOf(error)}): check that service and proxy are running`,
      ),
    ];
  }
}

/** The impairments of the process that answers: one of several replicas. A proxy may not pass the request on. */
async function examineReadiness(url: string): Promise<Finding[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
  const text = await response.text();
  if (response.status !== 200 || !response.headers.get("content-type")?.startsWith("text/plain")) return [];
  const sentences = text.split("\n").filter((line) => line !== "");
  return sentences.slice(0, MAX_IMPAIRMENTS).map((sentence) => warning("running service", sentence));
}
