/** Checks how PostgreSQL is connected: encryption, and whether a failover may lose acknowledged writes. */
import { isIP } from "node:net";

import { sql } from "kysely";

import type { Config } from "../config.js";
import type { Database } from "../platform/database/database.js";
import {
  parsePostgresAddress,
  type PostgresAddress,
} from "../platform/database/postgres/postgres-address.js";
import { ok, warning, type Finding } from "./finding.js";

/** None for SQLite. */
export async function examinePostgres(database: Database, { url }: Config["database"]): Promise<Finding[]> {
  if (database.kind === "sqlite") return [];
  const address = parsePostgresAddress(url);
  return [...examineEncryption(address), ...(await examineCommits(database, address))];
}

function examineEncryption({ urls, tls: { mode } }: PostgresAddress): Finding[] {
  if (urls.every(isLocal)) return [];
  if (mode === "verify-ca" || mode === "verify-full")
    return [ok("encryption", `PostgreSQL is verified by sslmode=${mode}`)];
  const risk =
    mode === "require"
      ? "the server is not verified: an attacker on the network path can pretend to be PostgreSQL"
      : "connections to PostgreSQL may be unencrypted";
  return [warning("encryption", `${risk}: set sslmode=verify-full and sslrootcert in IDENTITY_DATABASE_URL`)];
}

/** Sockets and loopback addresses. */
function isLocal(url: string): boolean {
  const [, host = ""] = /^[^:]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(url) ?? [];
  if (host === "" || host === "localhost" || host === "[::1]") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

interface CommitSettings {
  readonly commit: string;
  readonly standbys: string;
}

async function examineCommits(database: Database, { urls }: PostgresAddress): Promise<Finding[]> {
  const { rows } = await sql<CommitSettings>`
    select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as standbys
  `.execute(database.tables());
  const { commit = "on", standbys = "" } = rows[0] ?? {};
  if (commit === "off")
    return [
      warning(
        "commits",
        "synchronous_commit is off: a crash of PostgreSQL loses the last acknowledged writes",
      ),
    ];
  if (urls.length === 1) return [];
  return standbys === "" || commit === "local"
    ? [
        warning(
          "commits",
          "PostgreSQL replicates asynchronously: a failover may lose the last acknowledged writes, revocations among them",
        ),
      ]
    : [ok("commits", `are confirmed by a standby (synchronous_standby_names = ${standbys})`)];
}
