/** Runs `hamkit-identity import`: a first import, an update, the end of a move, and a comparison with the Keystone. */
import {
  allowHeapGrowth,
  COMMAND_VARIABLES,
  type Config,
  ConfigError,
} from "@hamkit/identity/import-support/command-line";
import {
  DatabaseUnavailable,
  finishImport,
  masterKeyOf,
  migrate,
  migrations,
  openDatabase,
  openMigrated,
  systemClock as clock,
} from "@hamkit/identity/import-support/storage";

import { openCredentialKeys } from "../import/credential-keys.js";
import { ImportError } from "../import/import-errors.js";
import { forgetImport } from "../import/import-record.js";
import { runImport, type ImportResult } from "../import/import-run.js";
import { importTokens } from "../import/import-tokens.js";
import { readKeystoneConf, type KeystoneConf } from "../import/keystone-conf.js";
import { createProgressBar } from "../import/report/import-progress.js";
import { writeReport } from "../import/report/import-report.js";
import type { Preference } from "../import/row-conflicts.js";
import { openKeystoneSource } from "../import/source/open-keystone-source.js";
import { verifyImport, type VerifyReport } from "../import/verification/verify.js";

export interface KeystoneImportOptions {
  /** Of Keystone's database: a secret. */
  readonly address: string | undefined;
  readonly keystoneConf: string | undefined;
  readonly fernetKeys: string | undefined;
  readonly credentialKeys: string | undefined;
  readonly authMethods: readonly string[] | undefined;
  readonly tokenExpirationSeconds: number | undefined;
  readonly isDryRun: boolean;
  readonly isUpdate: boolean;
  readonly prefer: Preference | undefined;
  readonly stderr: { write(text: string): unknown };
  readonly isInteractive: boolean;
}

export interface KeystoneImportLines {
  readonly lines: readonly string[];
  readonly isDone: boolean;
}

/** Keystone's default of `[token] expiration`: without keys, only revocation events depend on it. */
const DEFAULT_EXPIRATION_SECONDS = 3600;

/** @throws {ConfigError} {@link ImportError} {@link KeystoneConfError} {@link KeyFolderError} */
export async function importKeystone(
  config: Config,
  options: KeystoneImportOptions,
): Promise<KeystoneImportLines> {
  allowHeapGrowth();
  const conf = options.keystoneConf === undefined ? undefined : readKeystoneConf(options.keystoneConf);
  const sources = sourcesOf(options, conf);
  const credentialKeys =
    sources.credentialKeys === undefined
      ? undefined
      : openCredentialKeys(sources.credentialKeys, { mayBeMissing: options.credentialKeys === undefined });
  const bar = createProgressBar({ ...options, clock });
  const source = await openKeystoneSource(sources.address);
  const database = openDatabase(config.database.url);
  try {
    await refusedIfBusy(() => database.alone(async () => {}, { changes: [], isImpatient: true }));
    await refusedIfBusy(() => migrate(database, migrations));
    const masterKey = await masterKeyOf(config, database, { mayCreate: true });
    const keys = { masterKey, database, clock, expiredWindowSeconds: config.token.expiredWindowSeconds };
    const result = await refusedIfBusy(() =>
      runImport(
        {
          source,
          database,
          masterKey,
          openBlob: credentialKeys?.open,
          defaultAuthorizationTtl: conf?.defaultAuthorizationTtlMinutes ?? 0,
          usesDomainDrivers: conf?.usesDomainDrivers ?? false,
          clock,
          onProgress: (progress) => bar.show(progress),
          afterRows: (transaction, report) =>
            importTokens(transaction, { ...sources, ...keys, source, report }),
        },
        options,
      ),
    );
    bar.end();
    return {
      lines: [...writeReport(result.report), ...confLines(conf), "", outcomeLine(result)],
      isDone: result.outcome !== "conflicts",
    };
  } finally {
    bar.end();
    await Promise.all([source.close(), database.close()]);
  }
}

/** @throws {ImportError} Another process is importing, or migrating: it was waited for in vain. */
async function refusedIfBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new ImportError(
      "import/busy",
      "Another import, or a migration, is running in this database. Nothing was changed: repeat the command when it is finished",
      { cause: error },
    );
  }
}

/** A lock was not released in time: SQLSTATE 55P03 lock timeout, 57014 statement timeout. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  return /^(?:55P03|57014|SQLITE_BUSY)/.test(String(code));
}

interface ImportSources {
  readonly address: string;
  readonly fernetKeys: string | undefined;
  readonly credentialKeys: string | undefined;
  readonly authMethods: readonly string[];
  readonly lifetimeSeconds: number;
}

/** Options take precedence over keystone.conf. @throws {ConfigError} */
function sourcesOf(options: KeystoneImportOptions, conf: KeystoneConf | undefined): ImportSources {
  const address = options.address ?? conf?.databaseUrl;
  if (address === undefined)
    throw new ConfigError(
      COMMAND_VARIABLES.importAddress,
      "is not set: expected the address of Keystone's database, there or in --from-env, --from-file or --keystone-conf",
    );
  const fernetKeys = options.fernetKeys ?? (conf?.hasFernetTokens === true ? conf.fernetKeys : undefined);
  const lifetimeSeconds = options.tokenExpirationSeconds ?? conf?.tokenExpirationSeconds;
  const authMethods = options.authMethods ?? conf?.authMethods ?? [];
  if (fernetKeys !== undefined && authMethods.length === 0)
    throw new ConfigError(
      "--auth-methods",
      "is missing: expected [auth] methods of keystone.conf in its order, which tokens depend on",
    );
  // Tokens are not in the database: how many a wrong lifetime drops can't be counted before.
  if (fernetKeys !== undefined && lifetimeSeconds === undefined)
    throw new ConfigError(
      "--token-expiration",
      "is missing: expected [token] expiration of keystone.conf in seconds, there or by --keystone-conf. Imported tokens end that long " +
        `after they were issued: with Keystone's default of ${DEFAULT_EXPIRATION_SECONDS} every token that is older would be dropped`,
    );
  return {
    address,
    fernetKeys,
    credentialKeys: options.credentialKeys ?? conf?.credentialKeys,
    authMethods,
    lifetimeSeconds: lifetimeSeconds ?? DEFAULT_EXPIRATION_SECONDS,
  };
}

/** Ends the move. @returns A line for the operator. */
export async function finishKeystoneImport(config: Config): Promise<string> {
  const database = await openMigrated(config.database.url);
  try {
    const wasUnfinished = await database.transaction(async (transaction) => {
      await forgetImport(transaction);
      return finishImport(transaction);
    });
    return wasUnfinished
      ? "The import is finished: logins replace imported password hashes from now on."
      : "No import is unfinished.";
  } finally {
    await database.close();
  }
}

export async function verifyKeystoneImport(options: {
  readonly source: string;
  readonly target: string;
  readonly token: string;
}): Promise<{ readonly lines: readonly string[]; readonly isSame: boolean }> {
  const report = await verifyImport(options);
  return { lines: verifyLines(report), isSame: report.differences.length === 0 };
}

function verifyLines({ requests, same, differences, known, sourceFaults }: VerifyReport): string[] {
  const expected = new Set([...known.values()].flat());
  for (const { request } of differences) expected.delete(request);
  return [
    ...differences.flatMap(({ request, sourceStatus, targetStatus, values }) => [
      `${request}: ${sourceStatus} there, ${targetStatus} here`,
      ...values.map(
        ({ path, source, target }) => `  ${path}: ${source ?? "absent"} there, ${target ?? "absent"} here`,
      ),
    ]),
    ...sourceFaults.map((fault) => `${fault}: Keystone's own fault, not compared`),
    ...(known.size === 0 ? [] : ["Known differences (docs/identity/differences.md):"]),
    ...Array.from(known, ([rule, [first = "", ...others]]) => {
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return `  ${rule}: ${first}${more}`;
    }),
    `${requests} requests, ${same} with the same response, ${expected.size} with a known difference, ${differences.length} with another`,
  ];
}

function confLines(conf: KeystoneConf | undefined): string[] {
  if (conf === undefined) return [];
  return [
    ...(conf.settings.length === 0 ? [] : ["", "Settings that follow from keystone.conf:"]),
    ...conf.settings.map(({ option, setting, value }) => `  ${setting}=${value}  # ${option}`),
    ...(conf.unsupported.length === 0 ? [] : ["", "Options of keystone.conf without a counterpart:"]),
    ...conf.unsupported.map(({ option, reason }) => `  ${option}: ${reason}`),
  ];
}

function outcomeLine({ outcome, report }: ImportResult): string {
  const rows = report.counts.reduce((sum, { imported, changed }) => sum + imported + changed, 0);
  if (outcome === "dry-run") return `Dry run: ${rows} rows could be imported; nothing was changed.`;
  if (outcome === "conflicts")
    return "Nothing was changed: rows were changed there and here. Use --prefer source or --prefer target.";
  return `${rows} rows were imported.`;
}
