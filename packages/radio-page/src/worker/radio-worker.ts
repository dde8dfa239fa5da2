/** The worker: looks up calls, draws maps, reads logs, finds sun and moon. Each part is loaded when it is first needed. */
import type { AwardRow, LogFilter, LogSort } from "../log/log-types.js";
import type { PageMapOptions } from "../map/draw.js";
import type { SkyQuestion } from "../sky/sky-facts.js";
import type { AskedStation } from "../needed/need-words.js";
import type { WorkerRequest, WorkerResponse } from "./worker-messages.js";

const functions = {
  async search(text: string, at: Date) {
    const { search } = await import("../search/search.js");
    return search(text, at);
  },
  async drawMap(options: PageMapOptions) {
    const { drawPageMap } = await import("../map/draw.js");
    return drawPageMap(options);
  },
  /** @param locator The own one, for logs that don't have it. */
  /** @param locator The own one, for logs that don't have it. */
  async openLog(content: ArrayBuffer, name: string, locator: string | undefined) {
    return (await logBook()).openLog(content, name, locator);
  },
  async openStoredLogs() {
    return (await logBook()).openStoredLogs();
  },
  async closeLog(id: string) {
    return (await logBook()).closeLog(id);
  },
  async filterLogs(filter: LogFilter) {
    return (await logBook()).filterLogs(filter);
  },
  async sortLogs(sort: LogSort) {
    return (await logBook()).sortLogs(sort);
  },
  async placesShown() {
    return (await logBook()).placesShown();
  },
  async readRows(from: number, to: number) {
    return (await logBook()).readRows(from, to);
  },
  async writeShown(format: "adi" | "csv") {
    return (await logBook()).writeShown(format);
  },
  async countAwards() {
    const [{ contactsShown, bandOrder }, { awardsOf }] = await Promise.all([logBook(), awards()]);
    return awardsOf(contactsShown(), bandOrder());
  },
  async missingUnits(row: AwardRow) {
    const [{ contactsShown }, { missingOf }] = await Promise.all([logBook(), awards()]);
    return missingOf(contactsShown(), row);
  },
  async skyOf(question: SkyQuestion) {
    const { skyOf } = await import("../sky/sky-facts.js");
    return skyOf(question);
  },
  /** What stations would be for the awards of the logs that are open. */
  async needsOf(stations: readonly AskedStation[]) {
    const [{ openQsos }, { needsOfLog }] = await Promise.all([logBook(), awards()]);
    return needsOfLog(openQsos(), stations);
  },
};

function logBook() {
  return import("../log/log-book.js");
}

function awards() {
  return import("../log/award-progress.js");
}

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
