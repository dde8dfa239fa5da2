/** The live part of the page: starts the worker, keeps its spots, asks what they would be for a log, and announces those. */
import { browserOutput } from "../needed/alert-output.js";
import { createAlerts, type AlertOutput } from "../needed/alerts.js";
import type { NeedReader } from "../needed/need-words.js";
import { askServer } from "../needed/server-needs.js";
import { withReport, type SolarReports } from "../sky/solar-reports.js";
import { isDirect, keepSettings, readSettings, type LiveSettings } from "./live-settings.js";
import type { LiveMessage, LiveRequest, LiveSpot, ServerLog, SourceView } from "./live-spot.js";
import { createSpotStore, type SpotCounts } from "./spot-store.js";

export interface LiveState {
  /** The folder of the server's live parts; `undefined` without a server. */
  readonly server: string | undefined;
  /** Of the connection to the server. */
  readonly connection: SourceView | undefined;
  readonly sources: readonly SourceView[];
  /** Logs that the server watches. */
  readonly logs: readonly ServerLog[];
  /** The latest reports of solar activity. */
  readonly reports: SolarReports;
  /** Spots that a lost connection missed. */
  readonly missed: number;
  readonly settings: LiveSettings;
  /** All spots that are kept. */
  readonly total: number;
  /** Counts up when spots look older. */
  readonly minute: number;
  /** Whether a log says what is needed. */
  readonly hasNeeds: boolean;
  shown(): readonly LiveSpot[];
  counts(): SpotCounts;
  change(settings: Partial<LiveSettings>): void;
  /** The own locator is another one. */
  moved(): void;
  /** The log that is open on the page; `undefined` for none. Its answers replace those of the server's logs. */
  readLog(reader: NeedReader | undefined): void;
  /** What a station would be for the log; `undefined` without one. */
  readonly ask: NeedReader | undefined;
  subscribe(listener: () => void): () => void;
}

export interface LiveStateOptions {
  readonly server: string | undefined;
  readonly locator: () => string | undefined;
  readonly output?: AlertOutput;
  readonly now?: () => number;
  /** Starts the worker. */
  readonly start?: (onMessage: (message: LiveMessage) => void) => (request: LiveRequest) => void;
}

/** Changes are shown so often at most. */
const SHOW_MS = 250;
const TICK_MS = 10_000;
const MAX_ASKED = 400;
/** Only younger spots are announced. */
const FRESH_MS = 5 * 60_000;

export function createLiveState({
  server,
  locator,
  output = browserOutput,
  now = () => Date.now(),
  start = startWorker,
}: LiveStateOptions): LiveState {
  const store = createSpotStore();
  const announce = createAlerts(output);
  const listeners = new Set<() => void>();
  let settings = readSettings();
  let connection: SourceView | undefined;
  let sources: readonly SourceView[] = [];
  let logs: readonly ServerLog[] = [];
  let reports: SolarReports = {};
  let missed = 0;
  let minute = 0;
  let reader: NeedReader | undefined;
  let serverReader: NeedReader | undefined;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const request = start(receive);
  connect();
  setInterval(() => {
    minute++;
    store.expire(now());
    show();
  }, TICK_MS);

  function show(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const listener of listeners) listener();
    }, SHOW_MS);
  }

  function connect(): void {
    if (server !== undefined) {
      request({ kind: "server", url: server });
      return;
    }
    const { pskReporter, pskReporterUrl, band, isLocal, pota, potaUrl } = settings.direct;
    const square = isLocal ? locator()?.slice(0, 4) : undefined;
    request({
      kind: "direct",
      sources: {
        pskReporter:
          pskReporter && (!isLocal || square !== undefined)
            ? { url: pskReporterUrl, band, ...(square !== undefined && { receiverGrid: square }) }
            : undefined,
        pota: pota ? { url: potaUrl } : undefined,
      },
      locator: locator(),
    });
  }

  function receive(message: LiveMessage): void {
    if (message.kind === "spots") receiveSpots(message.spots);
    else if (message.kind === "source") setSource(message.source);
    else if (message.kind === "sources") ({ sources } = message);
    else if (message.kind === "server") connection = message.server;
    else if (message.kind === "report") reports = withReport(reports, message.report);
    else if (message.kind === "missed") missed += message.count;
    else {
      const isChange = logs.length > 0; // the first spots bring what they are
      ({ logs } = message);
      // Another function: what was asked by the one before may be wrong now.
      serverReader =
        server === undefined || logs.length === 0 ? undefined : (stations) => askServer(server, stations);
      if (isChange && reader === undefined) void askAgain();
    }
    show();
  }

  function receiveSpots(spots: readonly LiveSpot[]): void {
    store.add(reader === undefined ? spots : spots.map((spot) => ({ ...spot, needed: undefined })));
    const at = new Date(now());
    const last = new Map<string, number>();
    for (const { source, time } of spots) last.set(source, Math.max(time, last.get(source) ?? 0));
    for (const [source, lastSpotAt] of last)
      sources = sources.map((each) => (each.source === source ? { ...each, lastSpotAt } : each));
    // A server also sends those of some time before.
    const fresh = (list: readonly LiveSpot[]) => list.filter(({ time }) => at.getTime() - time < FRESH_MS);
    if (reader === undefined) announce(fresh(spots), settings.alerts, at);
    else void askFor(spots, reader, asked).then((answered) => announce(fresh(answered), settings.alerts, at));
  }

  function setSource(source: SourceView): void {
    const before = sources.find((each) => each.source === source.source);
    if (before === undefined) sources = [...sources, source];
    else
      sources = sources.map((each) =>
        each === before ? { ...source, lastSpotAt: source.lastSpotAt ?? before.lastSpotAt } : each,
      );
  }

  /** Another log, or more contacts: everything is asked again, a part at a time. */
  async function askAgain(): Promise<void> {
    const round = ++asked;
    const read = currentReader();
    if (read === undefined) {
      store.setNeeded(new Map(store.spots.map(({ id }) => [id, undefined])));
      show();
      return;
    }
    // What the user sees first.
    const pending = store.spots.toReversed();
    for (let from = 0; from < pending.length; from += MAX_ASKED) {
      if (!isLatest(round)) return;
      await askFor(pending.slice(from, from + MAX_ASKED), read, round);
    }
  }

  function isLatest(round: number): boolean {
    return round === asked;
  }

  /** @returns The spots with the answers. */
  async function askFor(
    spots: readonly LiveSpot[],
    read: NeedReader,
    round: number,
  ): Promise<readonly LiveSpot[]> {
    try {
      const answers = await read(spots.map(askedOf));
      if (!isLatest(round)) return [];
      store.setNeeded(new Map(spots.map(({ id }, index) => [id, answers[index]])));
      show();
      return spots.map((spot, index) => ({ ...spot, needed: answers[index] }));
    } catch {
      return []; // the server is away; it is asked again when it is back
    }
  }

  function currentReader(): NeedReader | undefined {
    return reader ?? serverReader;
  }

  return {
    server,
    get connection() {
      return connection;
    },
    get sources() {
      return sources;
    },
    get logs() {
      return logs;
    },
    get reports() {
      return reports;
    },
    get missed() {
      return missed;
    },
    get settings() {
      return settings;
    },
    get total() {
      return store.spots.length;
    },
    get minute() {
      return minute;
    },
    get hasNeeds() {
      return currentReader() !== undefined;
    },
    get ask() {
      return currentReader();
    },
    shown: () => store.shown(settings.filter),
    counts: () => store.counts(),
    change(changed) {
      settings = { ...settings, ...changed };
      keepSettings(settings);
      if (changed.direct !== undefined && server === undefined) {
        sources = [];
        connect();
      }
      // At once: what the user chooses next depends on it.
      for (const listener of listeners) listener();
    },
    moved() {
      if (server === undefined && settings.direct.pskReporter) connect();
    },
    readLog(wanted) {
      if (wanted === reader) return;
      reader = wanted;
      void askAgain();
      show();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether the page has something live without being asked: a server, or services that were turned on before. */
export function startsByItself(server: string | undefined): boolean {
  return server !== undefined || isDirect(readSettings().direct);
}

function askedOf({ dx, band, mode, frequencyKHz, dxGrid, references }: LiveSpot) {
  return {
    dx,
    frequencyKHz,
    ...(band !== "" && { band }),
    ...(mode !== "" && { mode }),
    ...(dxGrid !== undefined && { dxGrid }),
    ...(references !== undefined && { references }),
  };
}

function startWorker(onMessage: (message: LiveMessage) => void): (request: LiveRequest) => void {
  const worker = new Worker(new URL("./live-worker.ts", import.meta.url), { type: "module", name: "live" });
  worker.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => onMessage(data));
  worker.addEventListener("error", ({ message }) =>
    onMessage({
      kind: "source",
      source: { source: "Live", state: "failed", problem: message || "the worker did not load" },
    }),
  );
  return (request) => worker.postMessage(request, []);
}
