/** The logs on the page: opened, kept, filtered and sorted in a worker of their own. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { keep, readKept } from "../device.js";
import type { NeedReader } from "../needed/need-words.js";
import { startWorker, type WorkerClient } from "../worker/worker-client.js";
import type { ReadRows } from "./LogTable.js";
import {
  NEWEST_FIRST,
  NO_FILTER,
  type AwardProgress,
  type AwardRow,
  type LogFilter,
  type LogOverview,
  type LogSort,
  type MissingUnits,
  type ShownLog,
  type ShownPlaces,
} from "./log-types.js";

/** A larger file isn't a log. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

const NO_PLACES: ShownPlaces = { squares: [], entities: [], paths: [] };

/** The logs that are open, and what a filter shows of them. */
export interface LogOnPage {
  readonly overview: LogOverview;
  readonly shown: ShownLog;
  /** Those of the filter before until these are known. */
  readonly places: ShownPlaces;
  readonly filter: LogFilter;
  readonly sort: LogSort;
  readonly read: ReadRows;
}

export interface LogDesk {
  readonly log: LogOnPage | undefined;
  /** Rejects a file that can't be read, with a message for the user. @returns Why the log is not kept on the device. */
  readonly open: (file: File, own: string | undefined) => Promise<string | undefined>;
  readonly filter: (filter: LogFilter) => Promise<void>;
  readonly order: (sort: LogSort) => Promise<void>;
  readonly awards: () => Promise<readonly AwardProgress[]>;
  readonly missing: (row: AwardRow) => Promise<MissingUnits>;
  /** The shown part as a file. */
  readonly write: (format: "adi" | "csv") => Promise<Uint8Array<ArrayBuffer>>;
  /** What stations would be for the awards of the logs; another function means other logs. `undefined` without one. */
  readonly needs: NeedReader | undefined;
  readonly close: (id: string) => Promise<void>;
}

/** What is to be shown next. */
interface Wanted {
  filter: LogFilter;
  overview: LogOverview | undefined;
  isRunning: boolean;
}

/** @param onProblem Logs of an earlier visit could not be opened. */
export function useLog(onProblem: (message: string) => void): LogDesk {
  const [log, setLog] = useState<LogOnPage>();
  const started = useRef<WorkerClient>(undefined);
  const latest = useRef<LogOnPage>(undefined);
  const wanted = useRef<Wanted>({ filter: NO_FILTER, overview: undefined, isRunning: false });
  const needs = useMemo<NeedReader | undefined>(
    () => log && ((stations) => worker().needsOf(stations)),
    [log?.overview],
  );

  function worker(): WorkerClient {
    started.current ??= startWorker("log");
    return started.current;
  }

  function set(next: LogOnPage | undefined): void {
    latest.current = next;
    setLog(next);
  }

  useEffect(() => {
    if (readKept("logs") === undefined) return;
    void worker()
      .openStoredLogs()
      .then((overview) => show(overview))
      .then((problem) => problem !== undefined && onProblem(problem))
      .catch((error: unknown) => onProblem(String(error)));
  }, []);

  /** Shows these logs, or none. @returns What is to be said of them. */
  async function show(overview: LogOverview): Promise<string | undefined> {
    keep("logs", overview.logs.length === 0 ? undefined : "kept");
    if (overview.logs.length === 0) {
      Object.assign(wanted.current, { filter: { ...NO_FILTER }, overview }); // what runs is of logs that are closed
      set(undefined);
    } else {
      const sort = latest.current?.sort ?? NEWEST_FIRST;
      await refresh(overview, without(latest.current?.filter ?? NO_FILTER, overview), sort);
    }
    return overview.problem;
  }

  /** One filter runs at a time; of those that come meanwhile the last one follows. */
  async function refresh(overview: LogOverview, filter: LogFilter, sort: LogSort): Promise<void> {
    const queue = wanted.current;
    Object.assign(queue, { filter, overview });
    if (latest.current !== undefined) set({ ...latest.current, overview, filter }); // the controls answer at once
    if (queue.isRunning) return;
    queue.isRunning = true;
    try {
      for (let next: LogFilter | undefined = filter; next !== undefined;) {
        const current: LogFilter = next;
        const shown = await worker().filterLogs(current);
        if (queue.filter !== current) {
          next = queue.overview?.logs.length === 0 ? undefined : queue.filter;
          continue;
        }
        const read: ReadRows = (from, to) => worker().readRows(from, to);
        const before = latest.current;
        const places = before?.places ?? NO_PLACES;
        const logs = queue.overview ?? overview;
        set({ overview: logs, shown, places, filter: queue.filter, sort: before?.sort ?? sort, read });
        await place(current);
        const { filter: later, overview: open } = queue;
        next = later === current || open?.logs.length === 0 ? undefined : later;
      }
    } finally {
      queue.isRunning = false;
    }
  }

  async function place(filter: LogFilter): Promise<void> {
    const places = await worker().placesShown();
    if (wanted.current.filter === filter && latest.current !== undefined) set({ ...latest.current, places });
  }

  return {
    log,
    async open(file, own) {
      if (file.size > MAX_LOG_BYTES) throw new Error(`${file.name} is larger than 256 MB.`);
      return show(await worker().openLog(await file.arrayBuffer(), file.name, own));
    },
    async filter(filter) {
      if (latest.current !== undefined) await refresh(latest.current.overview, filter, latest.current.sort);
    },
    async order(sort) {
      if (latest.current === undefined) return;
      await worker().sortLogs(sort);
      set({ ...latest.current, sort, read: (from, to) => worker().readRows(from, to) });
    },
    awards: () => worker().countAwards(),
    missing: (row) => worker().missingUnits(row),
    write: async (format) => (await worker().writeShown(format)) as Uint8Array<ArrayBuffer>,
    needs,
    async close(id) {
      await show(await worker().closeLog(id));
    },
  };
}

/** The filter without logs that are closed. */
function without(filter: LogFilter, { logs }: LogOverview): LogFilter {
  return { ...filter, logs: filter.logs.filter((id) => logs.some((log) => log.id === id)) };
}
