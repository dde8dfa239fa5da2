/** Reads the events of the page's server, and connects again where they end. Runs in the worker. */
import type { FeedSpot } from "hamkit/feeds";
import type { Need } from "hamkit/awards";

import { needWords } from "../needed/need-words.js";
import type { SolarReport } from "../sky/solar-reports.js";
import { toLiveSpot, type LiveOutput, type ServerLog, type SourceView } from "./live-spot.js";

/** The server says every 15 s that it is there. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

let count = 0;

/** @param url The folder of the server's live parts. */
export function readServer(url: string, { signal, send, sendSpot }: LiveOutput): void {
  let lastId = "";
  let failures = 0;
  let events: EventSource | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => {
    events?.close();
    clearTimeout(watchdog);
    clearTimeout(retry);
  });
  connect();

  function connect(): void {
    send({ kind: "server", server: { source: "Server", state: "connecting" } });
    const opened = new EventSource(`${url}events${lastId === "" ? "" : `?after=${lastId}`}`);
    events = opened;
    const on = (name: string, listener: (data: unknown) => void) =>
      opened.addEventListener(name, (event) => {
        if (events !== opened) return;
        watch();
        if (event.lastEventId !== "") lastId = event.lastEventId;
        listener(JSON.parse(String(event.data)));
      });
    on("hello", (data) => {
      failures = 0;
      const { sources, logs, missed } = data as Hello;
      send({ kind: "server", server: { source: "Server", state: "connected" } });
      send({ kind: "sources", sources });
      send({ kind: "logs", logs });
      if (missed > 0) send({ kind: "missed", count: missed });
    });
    on("message", (data) => {
      const { needs, ...spot } = data as FeedSpot & { readonly needs?: readonly Need[] };
      const read = { ...spot, time: new Date(spot.time) };
      sendSpot(toLiveSpot(read, ++count, needs && needWords(needs)));
    });
    on("source", (data) => send({ kind: "source", source: data as SourceView }));
    on("logs", (data) => send({ kind: "logs", logs: (data as Hello).logs }));
    on("report", (data) => {
      const report = data as SolarReport & { readonly at: string | Date };
      send({ kind: "report", report: { ...report, at: new Date(report.at) } });
    });
    on("slow", () => reconnect("the page was too slow for the server"));
    on("alive", () => {});
    opened.addEventListener("error", () => {
      if (events === opened) reconnect("no connection");
    });
    watch();
  }

  function watch(): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => reconnect("the server is silent"), SILENCE_MS);
  }

  function reconnect(problem: string): void {
    events?.close();
    events = undefined;
    clearTimeout(watchdog);
    if (signal.aborted) return;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures++, LONGEST_DELAY_MS);
    send({
      kind: "server",
      server: { source: "Server", state: "waiting", retryAt: Date.now() + delayMs, problem },
    });
    retry = setTimeout(connect, delayMs);
  }
}

interface Hello {
  readonly sources: readonly SourceView[];
  readonly logs: readonly ServerLog[];
  readonly missed: number;
}
