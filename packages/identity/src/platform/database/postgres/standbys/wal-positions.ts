/**
 * The positions of the primary's write-ahead log over the last milliseconds.
 *
 * A standby that has replayed the position read at some time has everything that was committed before that time. This needs no
 * clocks that agree, and holds while the primary is idle, unlike the time of the last replayed transaction.
 */
import { setTimeout as delay } from "node:timers/promises";

import { closeConnection, cutConnection } from "../hosts/postgres-connect.js";
import type { PostgresHosts } from "../hosts/postgres-hosts.js";
import { MAX_POSITION_MS, MIN_POSITION_MS, STANDBY_MS } from "../connection-settings.js";

/** A position in the log of a cluster. */
export interface WalPosition {
  /** Such as `0/16B3748`. */
  readonly lsn: string;
  /** The cluster's identifier, which its standbys share. */
  readonly system: string;
}

/** The position that a standby must have replayed, and the primary's. */
export interface RequiredPosition extends WalPosition {
  /** As far as this process has read it. */
  readonly latest: string;
}

interface Reading extends WalPosition {
  /** When the primary was asked. */
  readonly at: number;
}

export interface WalPositions {
  /**
   * The position that a standby must have replayed: of the earliest reading within the permitted lag and after the last change.
   *
   * @returns `undefined` if there is no such reading.
   */
  required(): RequiredPosition | undefined;
  /** From now on standbys need what is committed. */
  noteChange(): void;
  close(): Promise<void>;
}

export interface WalPositionsOptions {
  readonly hosts: PostgresHosts;
  readonly maxLagMs: number;
}

/** Reads the position until closed. */
export function readWalPositions({ hosts, maxLagMs }: WalPositionsOptions): WalPositions {
  const end = new AbortController();
  const intervalMs = Math.min(Math.max(maxLagMs / 4, MIN_POSITION_MS), MAX_POSITION_MS);
  /** The oldest first. */
  let readings: Reading[] = [];
  let changedAt = Number.NEGATIVE_INFINITY;
  let wake = new AbortController();

  async function readOn(): Promise<void> {
    const { client, generation } = await hosts.open({ application_name: "hamkit-identity-standbys" });
    try {
      readings = [];
      while (!end.signal.aborted && generation === hosts.generation()) {
        const at = performance.now();
        const late = setTimeout(() => cutConnection(client), STANDBY_MS);
        const { rows } = await client.query<WalPosition>(POSITION).finally(() => clearTimeout(late));
        const oldest = performance.now() - maxLagMs;
        readings = readings.filter((reading) => reading.at >= oldest);
        for (const { lsn, system } of rows) readings.push({ lsn, system, at });
        await pause(MIN_POSITION_MS, end.signal);
        // After a change no standby is used until the next reading.
        if (changedAt < at) await pause(intervalMs, AbortSignal.any([end.signal, wake.signal]));
      }
    } finally {
      void closeConnection(client);
    }
  }

  async function readUntilClosed(): Promise<void> {
    while (!end.signal.aborted) {
      // While there is no primary to compare with, no standby is used.
      await readOn().catch(() => {});
      readings = [];
      await pause(MAX_POSITION_MS, end.signal);
    }
  }

  const ended = readUntilClosed();
  return {
    required() {
      const since = Math.max(performance.now() - maxLagMs, changedAt);
      const reading = readings.find(({ at }) => at >= since);
      return reading && { ...reading, latest: readings.at(-1)?.lsn ?? reading.lsn };
    },
    noteChange() {
      changedAt = performance.now();
      wake.abort();
      wake = new AbortController();
    },
    async close() {
      end.abort();
      await ended;
    },
  };
}

const POSITION = `select pg_current_wal_lsn()::text as lsn, (select system_identifier::text from pg_control_system()) as system`;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, signal }).catch(() => {});
}
