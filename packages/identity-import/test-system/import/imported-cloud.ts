/** The service on a cloud of a real Keystone, imported into a database of the test's own. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import mysql from "mysql2";
import pg from "pg";

import { createApp, type App } from "../../../identity/src/app.js";
import { importKeystone } from "../../src/commands/keystone-import.js";
import { readConfig } from "../../../identity/src/config.js";
import type { SourceRow } from "../../src/import/source/keystone-source.js";
import { mysqlOptions } from "../../src/import/source/mysql-source.js";
import { parseSourceAddress } from "../../src/import/source/source-address.js";
import { systemClock } from "../../../identity/src/platform/clock.js";
import { newId, newRequestId } from "../../../identity/src/platform/ids.js";
import { createLog } from "../../../identity/src/platform/log.js";
import {
  onServer,
  postgresDatabases,
  sqliteDatabases,
  type TestDatabases,
} from "../../../identity/test/databases.js";
import { CLOUD_METHODS, cloudFolder, type CloudName } from "../../../identity/test/keystone-cloud.js";
import type { MariadbServer } from "./mariadb-server.js";

/** Of the dumps. */
export type SourceKind = "mariadb" | "postgresql";

/** Each cloud from both kinds of databases, into both. */
export const IMPORTED_CLOUDS: readonly (readonly [CloudName, SourceKind, TestDatabases])[] = [
  ["head", "mariadb", sqliteDatabases],
  ["head", "postgresql", postgresDatabases],
  ["zed", "mariadb", postgresDatabases],
  ["zed", "postgresql", sqliteDatabases],
];

/** As when the responses were recorded. */
const PUBLIC_URLS = {
  head: "http://127.0.0.1:6361",
  zed: "http://127.0.0.1:6360",
  directory: "http://127.0.0.1:6755",
};
const TEN_YEARS_SECONDS = 315_360_000;
const SETTINGS = {
  IDENTITY_LOCKOUT_ATTEMPTS: "3",
  IDENTITY_LOCKOUT_SECONDS: String(TEN_YEARS_SECONDS),
  IDENTITY_PASSWORD_HISTORY: "5",
  IDENTITY_INACTIVE_DAYS: "36500",
  IDENTITY_ALLOW_REDELEGATION: "on",
  IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
};

export interface ImportedCloud {
  readonly app: App;
  /** What the import reported. */
  readonly lines: readonly string[];
  readonly databaseUrl: string;
  remove(): Promise<void>;
}

export interface ImportedCloudOptions {
  readonly cloud: CloudName;
  readonly kind: SourceKind;
  readonly databases: TestDatabases;
  readonly mariadb: MariadbServer;
  /** Changes the Keystone's rows before the import. */
  readonly change?: (source: RestoredCloud) => Promise<void>;
  /** More settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** The path of a keystone.conf. */
  readonly keystoneConf?: string;
}

const configOf = (databaseUrl: string, env: Readonly<Record<string, string>> = {}) =>
  readConfig({
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: "unused",
    ...SETTINGS,
    ...env,
  });

/** Runs the command. */
export function importCloud(
  {
    cloud,
    address,
    databaseUrl,
  }: { readonly cloud: CloudName; readonly address: string; readonly databaseUrl: string },
  {
    isUpdate = false,
    keystoneConf,
  }: { readonly isUpdate?: boolean; readonly keystoneConf?: string | undefined } = {},
): ReturnType<typeof importKeystone> {
  return importKeystone(configOf(databaseUrl), {
    address,
    keystoneConf,
    fernetKeys: `${cloudFolder(cloud)}fernet-keys`,
    credentialKeys: `${cloudFolder(cloud)}credential-keys`,
    authMethods: CLOUD_METHODS,
    tokenExpirationSeconds: TEN_YEARS_SECONDS,
    isDryRun: false,
    isUpdate,
    prefer: undefined,
    stderr: { write: () => true },
    isInteractive: false,
  });
}

export async function startImportedCloud(options: ImportedCloudOptions): Promise<ImportedCloud> {
  const { cloud, databases } = options;
  const source = await restoreCloud(options);
  await options.change?.(source);
  const place = await databases.create();
  const config = configOf(place.url, options.env);
  const { lines, isDone } = await importCloud(
    { cloud, address: source.address, databaseUrl: place.url },
    { keystoneConf: options.keystoneConf },
  );
  if (!isDone) throw new Error(`nothing was imported: ${lines.join("\n")}`);
  const log = createLog("silent", { write: () => {} });
  const publicUrl = PUBLIC_URLS[cloud];
  const deps = { log, publicUrl, clock: systemClock, newId, newRequestId, isProcess: false };
  const app = await createApp(config, deps);
  return {
    app,
    lines,
    databaseUrl: place.url,
    async remove() {
      await app.close();
      await place.remove();
      await source.remove();
    },
  };
}

/** A Keystone's database of its own. */
export interface RestoredCloud {
  readonly address: string;
  query(statement: string): Promise<SourceRow[]>;
  remove(): Promise<void>;
}

/** Loads the dump into a database of its own. */
export async function restoreCloud({
  cloud,
  kind,
  mariadb,
}: Pick<ImportedCloudOptions, "cloud" | "kind" | "mariadb">): Promise<RestoredCloud> {
  const dump = gunzipSync(readFileSync(`${cloudFolder(cloud)}${kind}.sql.gz`));
  const name = `keystone_${randomUUID().replaceAll("-", "")}`;
  if (kind === "mariadb") {
    const address = mariadb.restore(name, dump);
    const connection = mysql.createConnection(mysqlOptions(parseSourceAddress(address).url)).promise();
    return {
      address,
      query: async (statement) => (await connection.query(statement))[0] as SourceRow[],
      // The database is removed with the server.
      remove: () => connection.end(),
    };
  }
  await onServer(`create database ${name}`);
  const url = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test");
  url.pathname = name;
  const psql = ["--quiet", "--set=ON_ERROR_STOP=1", url.href];
  const { status, stderr } = spawnSync("psql", psql, { input: dump });
  if (status !== 0) throw new Error(stderr.toString());
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return {
    address: url.href,
    query: async (statement) => (await client.query<SourceRow>(statement)).rows,
    async remove() {
      await client.end();
      await onServer(`drop database ${name} with (force)`);
    },
  };
}
