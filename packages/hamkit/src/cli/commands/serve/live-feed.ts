/** All sources as one stream of events for pages: spots with what they would be for the logs, states of sources, changes of logs. */
import type { Need } from "../../../awards.js";
import { openFeed, type FeedItem, type FeedSource, type FeedSpot, type SourceState } from "../../../feeds.js";
import type { TableSource } from "../../../lookup/source.js";
import { dropWarning } from "../live/drop-warning.js";
import { createEventHub, type EventHub } from "../live/event-hub.js";
import type { WatchedLogs } from "./watched-logs.js";

/** A source as it is shown to a page. */
export interface SourceStatus {
  readonly source: string;
  readonly state: SourceState["state"];
  /** When it is connected again, in milliseconds since 1970; while it is `waiting`. */
  readonly retryAt?: number;
  /** Why it is not connected. */
  readonly problem?: string;
  /** Milliseconds since 1970; absent before the first spot. */
  readonly lastSpotAt?: number;
  readonly spots: number;
}

/** A spot as an event. */
export type LiveSpot = FeedSpot & {
  /** Absent without a log. */
  readonly needs?: readonly Need[];
};

export interface LiveFeed {
  readonly hub: EventHub<FeedSpot>;
  close(): Promise<void>;
}

interface LiveFeedOptions {
  readonly sources: readonly FeedSource[];
  readonly table: TableSource;
  readonly locator: string | undefined;
  readonly filter: (spot: FeedSpot) => boolean;
  readonly logs: () => WatchedLogs | undefined;
  readonly onState: (state: SourceState) => void;
  readonly warn: (message: string) => void;
}

/** A page that connects has these at once. */
const KEPT_SPOTS = 2000;

export function startLiveFeed({ sources, logs, onState, warn, ...options }: LiveFeedOptions): LiveFeed {
  const statuses = new Map<string, SourceStatus>();
  for (const { name } of sources) statuses.set(name, { source: name, state: "connecting", spots: 0 });
  const reports = new Map<string, FeedItem>();
  const hub = createEventHub<FeedSpot>({
    maxEvents: KEPT_SPOTS,
    // So that numbers grow over restarts.
    lastId: Date.now(),
    heartbeat: eventText("alive", {}),
    greet: (missed) =>
      eventText("hello", { sources: [...statuses.values()], logs: logs()?.statuses() ?? [], missed }) +
      Array.from(reports.values(), (report) => eventText("report", report)).join(""),
    encode(spot, id) {
      const live: LiveSpot = { ...spot, ...(logs() !== undefined && { needs: logs()?.needs(spot) ?? [] }) };
      return `id: ${id}\ndata: ${JSON.stringify(live)}\n\n`;
    },
  });
  if (sources.length === 0) return { hub, close: async () => hub.close() };

  const feed = openFeed(sources, {
    ...options,
    // Solar activity, from the lines of clusters: a page that connects has the latest of each station.
    onItem(item) {
      if (item.kind !== "wwv" && item.kind !== "wcy") return;
      reports.set(item.kind, item);
      hub.tell(eventText("report", item));
    },
    onState(state) {
      const status = statusOf(state, statuses.get(state.source));
      statuses.set(state.source, status);
      hub.tell(eventText("source", status));
      onState(state);
    },
  });
  const running = sendSpots();
  return {
    hub,
    async close() {
      await feed.close();
      await running;
      hub.close();
    },
  };

  async function sendSpots(): Promise<void> {
    try {
      const warnOfDropped = dropWarning(feed, { what: "spots", reader: "this computer", warn });
      for await (const spot of feed) {
        warnOfDropped();
        hub.send(spot);
        const status = statuses.get(spot.source);
        if (status !== undefined)
          statuses.set(spot.source, { ...status, spots: status.spots + 1, lastSpotAt: Date.now() });
      }
    } catch {
      // All sources have failed for good, which their states say.
    }
  }
}

/** The text of an event without a number, which is not sent again. */
export function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function statusOf(state: SourceState, before: SourceStatus | undefined): SourceStatus {
  const { lastSpotAt, spots = 0 } = before ?? {};
  return {
    source: state.source,
    state: state.state,
    ...(state.state === "waiting" && { retryAt: Date.now() + state.delayMs }),
    ...("error" in state && {
      problem: state.error instanceof Error ? state.error.message : String(state.error),
    }),
    ...(lastSpotAt !== undefined && { lastSpotAt }),
    spots,
  };
}
