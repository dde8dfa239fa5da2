/** Runs `hamkit-identity import`. A module of its own, loaded on demand, so that other commands start faster. */
import { COMMAND_VARIABLES, ConfigError, type Config } from "../../config.js";
import type { Preference } from "../../import/apply-context.js";
import { openCredentialKeys } from "../../import/credential-keys.js";
import { importFernetKeys } from "../../import/fernet-keys.js";
import { createProgressBar } from "../../import/report/import-progress.js";
import { forgetImport } from "../../import/import-record.js";
import { writeReport, type ImportReport } from "../../import/report/import-report.js";
import { runImport, type ImportResult } from "../../import/import-run.js";
import { readKeystoneConf, type KeystoneConf } from "../../import/keystone-conf.js";
import { importRevocationEvents, type KeystoneRevocationEvent } from "../../import/revocation-events.js";
import { ImportError } from "../../import/import-errors.js";
import { readAll, type KeystoneSource } from "../../import/source/keystone-source.js";
import { openKeystoneSource } from "../../import/source/open-keystone-source.js";
import { verifyImport, type VerifyReport } from "../../import/verification/verify.js";
import { migrations } from "../../migrations/migrations.js";
import { beginImport, finishImport } from "../../passwords/unfinished-import-store.js";
import { systemClock as clock } from "../../platform/clock.js";
import type { Database, Queries } from "../../platform/database/database.js";
import { DatabaseUnavailable } from "../../platform/database/database-errors.js";
import { migrate } from "../../platform/database/migrate.js";
import { openDatabase } from "../../platform/database/open-database.js";
import { allowHeapGrowth } from "../../platform/heap-growth.js";
import { loadMasterKey } from "../../platform/secrets/master-key.js";
import type { MasterKey } from "../../platform/secrets/sealing.js";
import { listSigningKeys } from "../../tokens/signing-key-store.js";
import { openMigrated } from "../open-migrated.js";

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

/** Keystone's default of `[token] expiration`. */
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
  const database = openDatabase(config.databaseUrl);
  try {
    await refusedIfBusy(() => database.alone(async () => {}, { changes: [], isImpatient: true }));
    await refusedIfBusy(() => migrate(database, migrations));
    const masterKey = await masterKeyOf(config, database);
    const keys = { masterKey, database, expiredWindowSeconds: config.expiredTokenWindowSeconds };
    const result = await refusedIfBusy(() =>
      runImport(
        {
          source,
          database,
          masterKey,
          openBlob: credentialKeys?.open,
          defaultAuthorizationTtl: conf?.defaultAuthorizationTtlMinutes ?? 0,
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
  const authMethods = options.authMethods ?? conf?.authMethods ?? [];
  if (fernetKeys !== undefined && authMethods.length === 0)
    throw new ConfigError(
      "--auth-methods",
      "is missing: expected [auth] methods of keystone.conf in its order, which tokens depend on",
    );
  return {
    address,
    fernetKeys,
    credentialKeys: options.credentialKeys ?? conf?.credentialKeys,
    authMethods,
    lifetimeSeconds:
      options.tokenExpirationSeconds ?? conf?.tokenExpirationSeconds ?? DEFAULT_EXPIRATION_SECONDS,
  };
}

interface TokenImport extends ImportSources {
  readonly source: KeystoneSource;
  readonly report: ImportReport;
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly expiredWindowSeconds: number;
}

/** Revocation events, and the keys of the tokens: after the rows, in the same transaction. */
async function importTokens(
  transaction: Queries,
  { source, report, ...options }: TokenImport,
): Promise<void> {
  const { fernetKeys, authMethods, lifetimeSeconds, expiredWindowSeconds, database, masterKey } = options;
  const now = clock.now();
  const lifetimeMs = lifetimeSeconds * 1000;
  // In UTC, as the column. Earlier ones revoke no token that has not expired.
  const since = new Date(now - lifetimeMs).toISOString().slice(0, 19).replace("T", " ");
  const rows = await readAll(
    source,
    `select t.* from revocation_event t where t.issued_before >= '${since}' order by t.revoked_at, t.id`,
  );
  const events = rows as unknown as KeystoneRevocationEvent[];
  const { imported } = await importRevocationEvents(transaction, events, { now, lifetimeMs });
  Object.assign(report.startTable("revocation_event"), { read: rows.length, imported });
  await beginImport(transaction, clock.now());
  if (fernetKeys === undefined) return;
  await importFernetKeys(transaction, {
    dir: fernetKeys,
    authMethods,
    lifetimeSeconds,
    expiredWindowSeconds,
    database,
    masterKey,
    clock,
  });
}

/** Ends the move. @returns A line for the operator. */
export async function finishKeystoneImport(config: Config): Promise<string> {
  const database = await openMigrated(config.databaseUrl);
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

/** A missing key file is created only while the database has no sealed secrets. */
async function masterKeyOf(
  { masterKey: text, masterKeyFile: file }: Config,
  database: Database,
): Promise<MasterKey> {
  const sealed = await listSigningKeys(database);
  return loadMasterKey({ text, file, mayCreate: sealed.length === 0 });
}
