/** The service on a cloud of a real Keystone, imported into a database of the test's own. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { createApp, type App } from "../../src/app.js";
import { importKeystone } from "../../src/commands/import/keystone-import.js";
import { readConfig } from "../../src/config.js";
import { systemClock } from "../../src/platform/clock.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import { onServer, postgresDatabases, sqliteDatabases, type TestDatabases } from "../../test/databases.js";
import { CLOUD_METHODS, cloudFolder, type CloudName } from "../../test/keystone-cloud.js";
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
const PUBLIC_URLS = { head: "http://127.0.0.1:6361", zed: "http://127.0.0.1:6360" };
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
  remove(): Promise<void>;
}

export interface ImportedCloudOptions {
  readonly cloud: CloudName;
  readonly kind: SourceKind;
  readonly databases: TestDatabases;
  readonly mariadb: MariadbServer;
}

export async function startImportedCloud(options: ImportedCloudOptions): Promise<ImportedCloud> {
  const { cloud, databases } = options;
  const source = await restore(options);
  const place = await databases.create();
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: "unused",
    ...SETTINGS,
  });
  const { lines, isDone } = await importKeystone(config, {
    address: source.address,
    keystoneConf: undefined,
    fernetKeys: `${cloudFolder(cloud)}fernet-keys`,
    credentialKeys: `${cloudFolder(cloud)}credential-keys`,
    authMethods: CLOUD_METHODS,
    tokenExpirationSeconds: TEN_YEARS_SECONDS,
    isDryRun: false,
    isUpdate: false,
    prefer: undefined,
    stderr: { write: () => true },
    isInteractive: false,
  });
  if (!isDone) throw new Error(`nothing was imported: ${lines.join("\n")}`);
  const log = createLog("silent", { write: () => {} });
  const deps = { log, clock: systemClock, newId, newRequestId, isProcess: false };
  const app = await createApp({ ...config, publicUrl: PUBLIC_URLS[cloud] }, deps);
  return {
    app,
    lines,
    async remove() {
      await app.close();
      await place.remove();
      await source.remove();
    },
  };
}

/** Loads the dump into a database of its own. */
async function restore({ cloud, kind, mariadb }: ImportedCloudOptions) {
  const dump = gunzipSync(readFileSync(`${cloudFolder(cloud)}${kind}.sql.gz`));
  const name = `keystone_${randomUUID().replaceAll("-", "")}`;
  // Removed with the server.
  if (kind === "mariadb") return { address: mariadb.restore(name, dump), remove: async () => {} };
  await onServer(`create database ${name}`);
  const url = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test");
  url.pathname = name;
  const psql = ["--quiet", "--set=ON_ERROR_STOP=1", url.href];
  const { status, stderr } = spawnSync("psql", psql, { input: dump });
  if (status !== 0) throw new Error(stderr.toString());
  return { address: url.href, remove: () => onServer(`drop database ${name}`) };
}
