/** Queries of lists, which may run on standbys. */
import type { CompiledQuery, DatabaseConnection, Driver, Kysely, QueryResult } from "kysely";

import { queriesOf, type DatabaseEvents, type Queries } from "../../database.js";
import type { PostgresHosts } from "../hosts/postgres-hosts.js";
import { parsePostgresAddress } from "../postgres-address.js";
import { createKysely } from "../../translated-driver.js";
import type { ConnectionSettings } from "../connection-settings.js";
import { createStandbyReads, type StandbyReads } from "./standby-reads.js";
import { readWalPositions } from "./wal-positions.js";

/** Standbys, and by how many milliseconds they may be behind. */
export interface StandbySettings {
  readonly url: string;
  readonly maxLagMs: number;
}

export interface ListQueriesDeps extends Pick<
  DatabaseEvents,
  "onConnectionLost" | "onListRead" | "onStandbyLag"
> {
  readonly settings: StandbySettings;
  readonly limits: ConnectionSettings;
  readonly primary: Kysely<unknown>;
  readonly hosts: PostgresHosts;
  /** A process that does not hear of changes can't know what a standby has to have: it uses none. */
  readonly hearsChanges: () => boolean;
}

export interface ListQueries {
  readonly queries: Queries;
  /** From now on standbys need what is committed. */
  noteChange(): void;
  close(): Promise<void>;
}

/** Starts reading the primary's position. */
export function openListQueries(deps: ListQueriesDeps): ListQueries {
  const { settings, limits, hosts, hearsChanges, onConnectionLost } = deps;
  const positions = readWalPositions({ hosts, maxLagMs: settings.maxLagMs });
  const standbys = createStandbyReads({
    address: parsePostgresAddress(settings.url),
    limits,
    required: () => (hearsChanges() ? positions.required() : undefined),
    onLag: (host, behind) => deps.onStandbyLag?.(host, behind),
    onConnectionLost: (error) => onConnectionLost?.(error),
  });
  return {
    queries: queriesOf(createKysely(listDriver(standbys, deps))),
    noteChange: () => positions.noteChange(),
    async close() {
      await Promise.all([positions.close(), standbys.close()]);
    },
  };
}

/** A driver of Kysely whose queries run on a standby, or else on the primary. It has no transactions. */
function listDriver(
  standbys: StandbyReads,
  { primary, onListRead }: Pick<ListQueriesDeps, "primary" | "onListRead">,
): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const result = await standbys.run(query);
      onListRead?.(result === undefined ? "primary" : "standby");
      return result ?? (primary.executeQuery(query) as Promise<QueryResult<Row>>);
    },
    streamQuery: unsupported,
  };
  return {
    init: async () => {},
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: unsupported,
    commitTransaction: unsupported,
    rollbackTransaction: unsupported,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

function unsupported(): never {
  throw new TypeError("lists are read without transactions and cursors");
}
