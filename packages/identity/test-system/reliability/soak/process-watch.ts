/** Measures a process of the service from outside: memory, descriptors, connections to the database, lag of the event loop. Linux only. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import pg from "pg";

export interface Sample {
  /** Hours since the watch began. */
  readonly hours: number;
  /** Resident memory. */
  readonly megabytes: number;
  /** Open file descriptors. */
  readonly descriptors: number;
  /** Sessions at PostgreSQL; 0 on SQLite. */
  readonly connections: number;
  /** 99th percentile of the event loop's delay since the sample before. */
  readonly lagMs: number;
}

export interface ProcessWatch {
  readonly samples: readonly Sample[];
  sample(): Promise<Sample>;
  /** The most memory since the watch began. */
  peakMegabytes(): number;
  close(): Promise<void>;
}

export interface Watched {
  readonly pid: number;
  readonly url: string;
  /** Of PostgreSQL, with an `application_name` of its own; `undefined` on SQLite. */
  readonly sessions?: { readonly databaseUrl: string; readonly applicationName: string };
}

export async function watchProcess({ pid, url, sessions }: Watched): Promise<ProcessWatch> {
  const samples: Sample[] = [];
  const client = sessions && new pg.Client({ connectionString: sessions.databaseUrl });
  await client?.connect();
  const begun = performance.now();
  // Forgets the peak so far. See proc_pid_clear_refs(5).
  writeFileSync(`/proc/${pid}/clear_refs`, "5");

  async function countSessions(): Promise<number> {
    const found = await client?.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where application_name = $1",
      [sessions?.applicationName],
    );
    return found?.rows[0]?.count ?? 0;
  }

  return {
    samples,
    async sample() {
      const taken = {
        hours: (performance.now() - begun) / 3_600_000,
        megabytes: megabytesOf(pid, "VmRSS"),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        connections: await countSessions(),
        lagMs: await lagOf(url),
      };
      samples.push(taken);
      return taken;
    },
    peakMegabytes: () => megabytesOf(pid, "VmHWM"),
    close: async () => client?.end(),
  };
}

/** @see proc_pid_status(5) */
function megabytesOf(pid: number, field: string): number {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

async function lagOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds(?:\{.*\})? (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error("the metrics have no lag of the event loop");
  return Number(seconds) * 1000;
}
