/** Merges sources to one stream of spots. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { distanceKm, headingDegrees } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { createQueue, type Queue } from "../../io/bounded-queue.js";
import { requireTable, identify } from "../../lookup/identify.js";
import type { TableSource } from "../../lookup/source.js";
import type { FeedSource } from "../connections/feed-source.js";
import { DEFAULT_MAX_RETRY_DELAY_MS, runSource, type SourceState } from "../connections/reconnecting.js";
import type { FeedItem } from "../lines/feed-item.js";
import { createRecentSpots } from "./duplicate-spots.js";
import { spotOfItem, type FeedSpot, type FeedStation } from "./feed-spot.js";

/** Options of `openFeed`. */
export interface OpenFeedOptions {
  /** Looks up the stations of each spot in this data, such as `await loadEmbeddedCountryFile()`. */
  readonly table?: TableSource | undefined;
  /** The own locator, for distances and headings; needs a table. */
  readonly locator?: string | undefined;
  /** Keeps a spot if it returns `true`; see `createSpotFilter`. */
  readonly filter?: ((spot: FeedSpot) => boolean) | undefined;
  /**
   * A spot of the same station by the same spotter within one kilohertz in this time is a duplicate, and dropped; default 5 minutes;
   * 0 for none.
   */
  readonly duplicateWindowMs?: number | undefined;
  /** Spots that are remembered for it; default 100000. Beyond this the oldest are forgotten. */
  readonly maxRemembered?: number | undefined;
  /** Spots that wait for a slow reader, from 1; default 10000. Beyond that the oldest are dropped, and counted. */
  readonly maxQueued?: number | undefined;
  /** The longest delay before a source is connected again; default 5 minutes. Half of it may be added at random. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Closes the feed. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the state of a source changes. */
  readonly onState?: ((state: SourceState) => void) | undefined;
  /** Called with each item that is no spot: announcements, messages, reports of solar activity. */
  readonly onItem?: ((item: FeedItem, source: string) => void) | undefined;
  /** Returns the current time; default: the system clock. */
  readonly clock?: (() => Date) | undefined;
  /** A random number from 0 to 1; default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * An open feed: an iterable of spots in the order of their arrival. The end of a loop doesn't close it, and the next loop continues:
 * call `close`, or pass a `signal`.
 */
export interface Feed extends AsyncIterable<FeedSpot> {
  /** The number of spots that a slow reader lost. */
  readonly dropped: number;
  /** The number of duplicates that were left out. */
  readonly duplicates: number;
  /** Closes all connections and ends the iteration after the spots that wait. Safe to call twice. */
  close(): Promise<void>;
}

const DEFAULT_WINDOW_MS = 300_000;
const DEFAULT_REMEMBERED = 100_000;
const DEFAULT_QUEUED = 10_000;
const DAY_MS = 86_400_000;

/**
 * Opens a feed: connects the sources, merges their spots, drops duplicates, and looks up stations if a table is given. A source whose
 * connection is lost is connected again, with growing delays.
 *
 * The iteration ends when all sources have ended. It throws if all have failed for good (the failure of the first, such as a
 * `LoginError`), and what `filter`, `onState` and `onItem` throw.
 *
 * @throws {ArgumentTypeError} The sources are not an array of sources, or the table is not one.
 * @throws {LocatorError} The locator is malformed; a `ValueError`.
 * @throws {ValueError} A number is out of its range, or the locator is given without a table.
 * @example
 * const lines = ["DX de DH1TW:     14025.0  JA1ABC       cq                             1200Z"];
 * const sources = [lineSource(lines, { name: "one node" }), lineSource(lines, { name: "another" })];
 * const feed = openFeed(sources, { table: await loadEmbeddedCountryFile(), locator: "JN48QM" });
 * const heard: unknown[] = [];
 * for await (const { dx, dxStation } of feed) heard.push(dx, dxStation?.country);
 * heard; // => ["JA1ABC", "Japan"]
 * feed.duplicates; // => 1
 */
export function openFeed(sources: readonly FeedSource[], options: OpenFeedOptions = {}): Feed {
  requireSources(sources);
  const { filter, clock = () => new Date(), onItem, onState, random = Math.random } = options;
  const { maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS, maxQueued = DEFAULT_QUEUED } = options;
  const { duplicateWindowMs = DEFAULT_WINDOW_MS, maxRemembered = DEFAULT_REMEMBERED } = options;
  requireNumber("maxQueued", maxQueued, { min: 1, max: Number.MAX_SAFE_INTEGER });
  requireNumber("maxRemembered", maxRemembered, { min: 1, max: 10_000_000 });
  requireNumber("duplicateWindowMs", duplicateWindowMs, { min: 0, max: DAY_MS });
  requireNumber("maxRetryDelayMs", maxRetryDelayMs, { min: 1, max: DAY_MS });
  const lookup = lookupOf(options);
  options.signal?.throwIfAborted();

  const queue = createQueue<FeedSpot>(maxQueued);
  const recent = createRecentSpots({ windowMs: duplicateWindowMs, maxSpots: maxRemembered });
  const ending = new AbortController();
  let duplicates = 0;
  const close = (failure?: Error) => {
    ending.abort();
    queue.end(failure);
  };
  /** What a callback of the caller throws ends the feed: there is no one else who could catch it. */
  const guard = (task: () => void) => {
    if (ending.signal.aborted) return;
    try {
      task();
    } catch (failure) {
      close(toError(failure));
    }
  };
  const deliver = (spot: FeedSpot) => {
    if (!recent.isNew(spot, clock().getTime())) {
      duplicates++;
      return;
    }
    const found = lookup === undefined ? spot : lookUpSpot(spot, lookup);
    if (filter === undefined || filter(found)) queue.push(found);
  };
  const run = (source: FeedSource) =>
    runSource(source, {
      maxRetryDelayMs,
      random,
      onState: (state) => guard(() => onState?.(state)),
      handlers: {
        signal: ending.signal,
        now: clock,
        room: () => queue.room(),
        onOpen: () => {},
        onSpot: (spot) => guard(() => deliver(spot)),
        onItem: (item) =>
          guard(() => {
            const spot = spotOfItem(item, source.name);
            if (spot !== undefined) deliver(spot);
            else onItem?.(item, source.name);
          }),
      },
    });

  const abort = () => close();
  options.signal?.addEventListener("abort", abort, { once: true });
  const runAll = async () => {
    const failures = await Promise.all(sources.map(run));
    options.signal?.removeEventListener("abort", abort);
    const hasFailed = failures.every((failure) => failure !== undefined);
    close(hasFailed ? toError(failures[0]) : undefined);
  };
  const finished = runAll();
  return feedOf(queue, {
    duplicates: () => duplicates,
    async close() {
      close();
      await finished;
    },
  });
}

function feedOf(
  queue: Queue<FeedSpot>,
  { duplicates, close }: { duplicates: () => number; close: () => Promise<void> },
): Feed {
  return {
    get dropped() {
      return queue.dropped;
    },
    get duplicates() {
      return duplicates();
    },
    close,
    [Symbol.asyncIterator]: () => ({ next: () => queue.next() }),
  };
}

function lookupOf({ table, locator }: OpenFeedOptions): Parameters<typeof lookUpSpot>[1] | undefined {
  const home = locator === undefined ? undefined : locatorToPosition(locator, "locator", "center");
  if (table !== undefined) return { table: requireTable(table), home };
  if (locator === undefined) return undefined;
  throw new ValueError({ argument: "locator", value: locator, expected: "given without a table" });
}

function requireSources(sources: readonly FeedSource[]): void {
  const areSources =
    Array.isArray(sources) &&
    sources.length > 0 &&
    sources.every((source: FeedSource | undefined) => typeof source?.connect === "function");
  if (areSources) return;
  throw new ArgumentTypeError({ argument: "sources", value: sources, expected: "an array of sources" });
}

function requireNumber(argument: string, value: unknown, { min, max }: { min: number; max: number }): void {
  if (typeof value === "number" && value >= min && value <= max) return;
  throw new ValueError({ argument, value, expected: `a number from ${min} to ${max}` });
}

function toError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure), { cause: failure });
}

interface SpotLookup {
  readonly table: TableSource;
  /** The own location. */
  readonly home: Position | undefined;
}

/** The spot with its stations, as far as their calls are known. */
function lookUpSpot(spot: FeedSpot, lookup: SpotLookup): FeedSpot {
  const { position, dxGrid, spotterGrid } = spot;
  const dxPlace =
    position === undefined ? placeOf(dxGrid) : { latitude: position[0], longitude: position[1] };
  const dxStation = stationAt(spot.dx, spot.time, dxPlace, lookup);
  const spotterStation =
    spot.spotter === undefined ? undefined : stationAt(spot.spotter, spot.time, placeOf(spotterGrid), lookup);
  return {
    ...spot,
    ...(dxStation === undefined ? undefined : { dxStation }),
    ...(spotterStation === undefined ? undefined : { spotterStation }),
  };
}

function stationAt(
  call: string,
  at: Date,
  place: Position | undefined,
  { table, home }: SpotLookup,
): FeedStation | undefined {
  const found = identify(call, { table, at });
  if (found.kind !== "identified") return undefined;
  const { country, adif, continent, cqz, ituz } = found.record;
  const there = place ?? (found.record.continent === "" ? undefined : found.record);
  return {
    country,
    adif,
    continent,
    ...(cqz !== undefined && { cqz }),
    ...(ituz !== undefined && { ituz }),
    ...(there !== undefined && { latitude: there.latitude, longitude: there.longitude }),
    ...(there !== undefined &&
      home !== undefined && { distanceKm: distanceKm(home, there), heading: headingDegrees(home, there) }),
  };
}

function placeOf(locator: string | undefined): Position | undefined {
  return locator === undefined ? undefined : locatorToPosition(locator, "locator", "center");
}
