/** The log on the page: opened and filtered in a worker of its own. */
import { useMemo, useRef, useState } from "preact/hooks";

import type { NeedReader } from "../needed/need-words.js";
import { startWorker, type WorkerClient } from "../worker/worker-client.js";
import { NO_FILTER, type LogOnPage } from "./LogPanel.js";
import type { LogFilter, LogOverview } from "./open-log.js";

/** A larger file isn't a log. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

export interface LogDesk {
  readonly log: LogOnPage | undefined;
  /** Rejects a file that can't be read, with a message for the user. */
  readonly open: (file: File, own: string | undefined) => Promise<void>;
  readonly filter: (filter: LogFilter) => Promise<void>;
  /** The shown part as a file. */
  readonly write: (format: "adi" | "csv") => Promise<Uint8Array<ArrayBuffer>>;
  /** What stations would be for the awards of the log; another function means another log. `undefined` without one. */
  readonly needs: NeedReader | undefined;
  readonly close: () => void;
}

export function useLog(): LogDesk {
  const [log, setLog] = useState<LogOnPage>();
  const started = useRef<WorkerClient>(undefined);
  const changes = useRef(0);
  const needs = useMemo<NeedReader | undefined>(
    () => log && ((stations) => worker().needsOf(stations)),
    [log?.overview],
  );

  function worker(): WorkerClient {
    started.current ??= startWorker("log");
    return started.current;
  }

  async function show(overview: LogOverview, wanted: LogFilter): Promise<void> {
    const change = ++changes.current;
    const shown = await worker().filterLog(wanted);
    if (change !== changes.current) return; // a later one
    setLog({ overview, shown, filter: wanted, read: (from, to) => worker().readRows(from, to) });
  }

  async function open(file: File, own: string | undefined): Promise<void> {
    if (file.size > MAX_LOG_BYTES) throw new Error(`${file.name} is larger than 256 MB.`);
    await show(await worker().openLog(await file.arrayBuffer(), file.name, own), NO_FILTER);
  }

  async function filter(wanted: LogFilter): Promise<void> {
    if (log === undefined) return;
    setLog({ ...log, filter: wanted }); // the chips answer at once
    await show(log.overview, wanted);
  }

  function close(): void {
    changes.current++;
    setLog(undefined);
  }

  return {
    log,
    open,
    filter,
    write: async (format) => (await worker().writeShown(format)) as Uint8Array<ArrayBuffer>,
    needs,
    close,
  };
}
