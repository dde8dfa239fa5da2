/** Settings of the database. */
import {
  explainedBy,
  wholeNumber,
  type Environment,
  type Options,
  type ValuesOf,
} from "../option-parsers.js";
import { parsePostgresAddress } from "./postgres/postgres-address.js";
import type { ConnectionSettings } from "./postgres/connection-settings.js";
import type { StandbySettings } from "./postgres/standbys/list-queries.js";

const STANDBYS_URL = "postgres://USER@HOST[:PORT][,HOST...]/NAME";
const DATABASE_URL = `sqlite:PATH or ${STANDBYS_URL}`;

export const DATABASE_OPTIONS = {
  url: {
    name: "IDENTITY_DATABASE_URL",
    parser: explainedBy(checkDatabaseUrl, DATABASE_URL),
    help: "the database: sqlite:PATH or postgres://USER@HOST/NAME, with HOST,HOST for failover",
    standard: (env) => `sqlite:${dataFolder(env)}/identity.db`,
    isSecret: true,
  },
  connections: {
    name: "IDENTITY_DATABASE_CONNECTIONS",
    parser: wholeNumber({ from: 2, to: 1000 }),
    help: "connections of each process to PostgreSQL for requests; three more check and listen",
    standard: "10",
  },
  connectTimeoutSeconds: {
    name: "IDENTITY_DATABASE_CONNECT_TIMEOUT",
    parser: wholeNumber({ from: 1, to: 300 }),
    help: "seconds in which a host must accept a connection",
    standard: "3",
  },
  idleTimeoutSeconds: {
    name: "IDENTITY_DATABASE_IDLE_TIMEOUT",
    parser: wholeNumber({ from: 1, to: 86_400 }),
    help: "seconds after which an unused connection is closed",
    standard: "10",
  },
  statementTimeoutSeconds: {
    name: "IDENTITY_DATABASE_STATEMENT_TIMEOUT",
    parser: wholeNumber({ from: 1, to: 3600 }),
    help: "seconds after which PostgreSQL cancels a statement",
    standard: "30",
  },
  lockTimeoutSeconds: {
    name: "IDENTITY_DATABASE_LOCK_TIMEOUT",
    parser: wholeNumber({ from: 1, to: 3600 }),
    help: "seconds that a statement waits for a lock",
    standard: "3",
  },
  idleInTransactionTimeoutSeconds: {
    name: "IDENTITY_DATABASE_IDLE_IN_TRANSACTION_TIMEOUT",
    parser: wholeNumber({ from: 1, to: 3600 }),
    help: "seconds after which PostgreSQL ends a session whose transaction sends nothing",
    standard: "30",
  },
  standbys: {
    name: "IDENTITY_DATABASE_STANDBYS",
    parser: explainedBy(checkStandbysUrl, STANDBYS_URL),
    help: "standbys that lists may be read from, postgres://USER@HOST[,HOST...]/NAME; by default none",
    isSecret: true,
  },
  standbyLagMs: {
    name: "IDENTITY_DATABASE_STANDBY_LAG_MS",
    parser: wholeNumber({ from: 50, to: 60_000 }),
    help: "milliseconds by which such a standby may be behind",
    standard: "1000",
  },
} satisfies Options;

export type DatabaseSettings = ValuesOf<typeof DATABASE_OPTIONS>;

/** The first fault of settings that depend on each other, and its variable; `undefined` if none. */
export function faultOfDatabase(
  settings: DatabaseSettings,
): { readonly option: string; readonly fault: string } | undefined {
  if (settings.standbys !== undefined && settings.url.startsWith("sqlite:"))
    return {
      option: DATABASE_OPTIONS.standbys.name,
      fault: `is set, but ${DATABASE_OPTIONS.url.name} is not postgres://...: SQLite has no standbys`,
    };
  const { lockTimeoutSeconds: lock, statementTimeoutSeconds: statement } = settings;
  if (lock > statement)
    return {
      option: DATABASE_OPTIONS.lockTimeoutSeconds.name,
      fault: `"${lock}" is above the ${statement} of ${DATABASE_OPTIONS.statementTimeoutSeconds.name}: the statement would be cancelled first`,
    };
  return undefined;
}

export function connectionSettingsOf(settings: DatabaseSettings): ConnectionSettings {
  return {
    maxConnections: settings.connections,
    connectMs: settings.connectTimeoutSeconds * 1000,
    maxIdleMs: settings.idleTimeoutSeconds * 1000,
    statementMs: settings.statementTimeoutSeconds * 1000,
    lockMs: settings.lockTimeoutSeconds * 1000,
    idleInTransactionMs: settings.idleInTransactionTimeoutSeconds * 1000,
  };
}

/** For a service that answers requests: commands read from the primary alone. */
export function standbysIn({ standbys: url, standbyLagMs }: DatabaseSettings): StandbySettings | undefined {
  return url === undefined ? undefined : { url, maxLagMs: standbyLagMs };
}

/** The user's data folder; the working directory without a home. */
export function dataFolder({ XDG_DATA_HOME, HOME, LOCALAPPDATA }: Environment): string {
  const base = XDG_DATA_HOME ?? LOCALAPPDATA ?? (HOME === undefined ? "." : `${HOME}/.local/share`);
  return `${base}/hamkit-identity`;
}

/** @throws {TypeError} */
function checkDatabaseUrl(given: string): string {
  if (!/^sqlite:./.test(given)) parsePostgresAddress(given);
  return given;
}

/** @throws {TypeError} */
function checkStandbysUrl(given: string): string {
  parsePostgresAddress(given);
  return given;
}
