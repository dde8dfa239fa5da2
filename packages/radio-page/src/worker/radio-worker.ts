/** The worker: looks up calls, draws maps, reads logs. Country file, map and log reader are loaded when they are first needed. */
import type { MapOptions } from "hamkit/map";

import type { AskedStation } from "../needed/need-words.js";
import type { LogFilter } from "../log/open-log.js";
import type { WorkerRequest, WorkerResponse } from "./worker-messages.js";

const functions = {
  async search(text: string, at: Date) {
    const { search } = await import("../search/search.js");
    return search(text, at);
  },
  async drawMap(options: MapOptions) {
    const { drawMap } = await import("../map/draw.js");
    return drawMap(options);
  },
  /** @param locator The own one, for logs that don't have it. */
  async openLog(content: ArrayBuffer, name: string, locator: string | undefined) {
    const { openLog } = await import("../log/open-log.js");
    return openLog(content, name, locator);
  },
  async filterLog(filter: LogFilter) {
    const { filterLog } = await import("../log/open-log.js");
    return filterLog(filter);
  },
  async readRows(from: number, to: number) {
    const { readRows } = await import("../log/open-log.js");
    return readRows(from, to);
  },
  async writeShown(format: "adi" | "csv") {
    const { writeShown } = await import("../log/open-log.js");
    return writeShown(format);
  },
  /** What stations would be for the awards of the log that is open. */
  async needsOf(stations: readonly AskedStation[]) {
    const { needsOfOpenLog } = await import("../log/open-log.js");
    return needsOfOpenLog(stations);
  },
};

export type WorkerFunctions = typeof functions;

addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => void answer(data));

async function answer({ id, name, args }: WorkerRequest): Promise<void> {
  let response: WorkerResponse;
  try {
    const perform = functions[name as keyof WorkerFunctions] as (
      ...values: readonly unknown[]
    ) => Promise<unknown>;
    response = { id, value: await perform(...args) };
  } catch (error) {
    response = { id, error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(response);
}
