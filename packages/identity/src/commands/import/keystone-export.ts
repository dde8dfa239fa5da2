/** Runs `hamkit-identity export`. A module of its own, loaded on demand, so that other commands start faster. */
import { existsSync } from "node:fs";

import { COMMAND_VARIABLES, ConfigError, type Config } from "../../config.js";
import { runExport } from "../../export/export-run.js";
import { openDatabaseTarget } from "../../export/database-target.js";
import { openSqlFile, type SqlFileOptions } from "../../export/sql-file-target.js";
import { openCredentialKeys } from "../../import/credential-keys.js";
import { createProgressBar } from "../../import/report/import-progress.js";
import { writeReport } from "../../import/report/import-report.js";
import { createKeyFolder } from "../../import/key-folder.js";
import { readKeystoneConf } from "../../import/keystone-conf.js";
import { systemClock as clock } from "../../platform/clock.js";
import { allowHeapGrowth } from "../../platform/heap-growth.js";
import { loadMasterKey } from "../../platform/secrets/master-key.js";
import { openMigrated } from "../open-migrated.js";

export interface KeystoneExportOptions {
  /** Of Keystone's database: a secret. */
  readonly address: string | undefined;
  readonly sqlFile: SqlFileOptions | undefined;
  readonly keystoneConf: string | undefined;
  readonly credentialKeys: string | undefined;
  readonly stderr: { write(text: string): unknown };
  readonly isInteractive: boolean;
}

const NOT_EXPORTED =
  "Not exported: tokens, and the keys of tokens and of SAML. Users log in again; give Keystone new Fernet keys.";

/** @returns Lines for the operator. @throws {ConfigError} {@link ExportError} {@link ImportError} {@link KeystoneConfError} */
export async function exportKeystone(config: Config, options: KeystoneExportOptions): Promise<string[]> {
  allowHeapGrowth();
  const conf = options.keystoneConf === undefined ? undefined : readKeystoneConf(options.keystoneConf);
  const address = options.address ?? conf?.databaseUrl;
  const open = openerOf(options.sqlFile, address);
  const database = await openMigrated(config.databaseUrl);
  const bar = createProgressBar({ ...options, clock });
  let undo: (() => void) | undefined;
  try {
    const masterKey = await loadMasterKey({
      text: config.masterKey,
      file: config.masterKeyFile,
      mayCreate: false,
    });
    const target = await open();
    try {
      const folder = options.credentialKeys ?? conf?.credentialKeys;
      if (folder !== undefined && !existsSync(folder)) undo = createKeyFolder(folder);
      const keys = folder === undefined ? undefined : openCredentialKeys(folder);
      const report = await runExport({
        database,
        masterKey,
        target,
        encryptBlob: keys && ((text) => keys.encrypt(text, clock.now())),
        defaultAuthorizationTtl: conf?.defaultAuthorizationTtlMinutes ?? 0,
        onProgress: (progress) => bar.show(progress),
      });
      await target.commit();
      undo = undefined;
      bar.end();
      const rows = report.counts.reduce((sum, { imported }) => sum + imported, 0);
      return [...writeReport(report, "exported"), "", NOT_EXPORTED, `${rows} rows were exported.`];
    } finally {
      await target.close();
    }
  } finally {
    undo?.();
    bar.end();
    await database.close();
  }
}

/** @throws {ConfigError} */
function openerOf(sqlFile: SqlFileOptions | undefined, address: string | undefined) {
  if (sqlFile !== undefined) return () => openSqlFile(sqlFile);
  if (address !== undefined) return () => openDatabaseTarget(address);
  throw new ConfigError(
    COMMAND_VARIABLES.exportAddress,
    "is not set: expected the address of Keystone's database, there or in --to, --to-env, --to-file or --keystone-conf; or a file in --sql",
  );
}
