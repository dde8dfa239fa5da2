/** Polls the spots of activators: POTA, SOTA and WWFF. */
import { AnswerError, ValueError } from "../../errors.js";
import { download } from "../../io/download.js";
import { pause } from "../../io/timers.js";
import type { Validators } from "../../io/download.js";
import type { ActivatorProgram } from "../lines/feed-item.js";
import { parseFeedLine } from "../lines/parse-feed-line.js";
import type { FeedHandlers, FeedSource } from "./feed-source.js";

/** Options of `activatorSource`. */
export interface ActivatorSourceOptions {
  /** The address of the spots, for another server that has them in the service's format. */
  readonly url?: string | undefined;
  /**
   * Time between two requests; default, and at the services themselves the minimum: 60 s, of WWFF 30 s. They are courtesies: the
   * services answer everyone for free.
   */
  readonly intervalMs?: number | undefined;
}

interface Service {
  readonly url: string;
  /** An address whose short answer changes when the spots do. */
  readonly epochUrl?: string;
  readonly format: "pota" | "sota" | "wwff";
  readonly intervalMs: number;
}

const SERVICES: Readonly<Record<ActivatorProgram, Service>> = {
  POTA: { url: "https://api.pota.app/spot/activator", format: "pota", intervalMs: 60_000 },
  SOTA: {
    url: "https://api-db2.sota.org.uk/api/spots/50/all/all",
    epochUrl: "https://api-db2.sota.org.uk/api/spots/epoch",
    format: "sota",
    intervalMs: 60_000,
  },
  WWFF: { url: "https://spots.wwff.co/static/spots.json", format: "wwff", intervalMs: 30_000 },
};

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_SPOTS = 5000;

/**
 * The activators of a program as a source for `openFeed`: POTA (parks), SOTA (summits) or WWFF (flora and fauna). The first answer
 * has the spots of some time before.
 *
 * In a browser the service must allow requests of other origins.
 *
 * @throws {ValueError} The program is none of the three, or the interval is shorter than the service's.
 * @example
 * activatorSource("POTA").name; // => "POTA"
 */
export function activatorSource(
  program: ActivatorProgram,
  { url, intervalMs }: ActivatorSourceOptions = {},
): FeedSource {
  const service = Object.hasOwn(SERVICES, program) ? SERVICES[program] : undefined;
  if (service === undefined) {
    throw new ValueError({ argument: "program", value: program, expected: '"POTA", "SOTA" or "WWFF"' });
  }
  const minimum = url === undefined ? service.intervalMs : 1;
  if (intervalMs !== undefined && !(intervalMs >= minimum && intervalMs <= 86_400_000)) {
    const expected = `a number of milliseconds from ${minimum} to 86400000`;
    throw new ValueError({ argument: "intervalMs", value: intervalMs, expected });
  }
  const polled: Service = {
    ...service,
    ...(url !== undefined && { url }),
    intervalMs: intervalMs ?? service.intervalMs,
  };
  // It continues after a lost connection: the spots of the last answer are not new ones then.
  const poll = createPoll(url === undefined ? polled : withoutEpoch(polled));
  return {
    name: program,
    retryDelayMs: polled.intervalMs,
    async connect(handlers) {
      while (!handlers.signal.aborted) {
        await poll(handlers);
        await pause(polled.intervalMs, handlers.signal);
      }
    },
  };
}

function withoutEpoch({ epochUrl: _epochUrl, ...service }: Service): Service {
  return service;
}

function createPoll({ url, epochUrl, format }: Service): (handlers: FeedHandlers) => Promise<void> {
  let lastEpoch: string | undefined;
  let validators: Validators | undefined;
  let known: ReadonlySet<string> = new Set();
  return async ({ signal, onItem, onOpen }) => {
    const get = (address: string, sent?: Validators) =>
      download(address, { retries: 0, maxBytes: MAX_BYTES, signal, validators: sent });
    try {
      if (epochUrl !== undefined) {
        const answer = await get(epochUrl);
        const epoch = answer.kind === "changed" ? new TextDecoder().decode(answer.content) : lastEpoch;
        if (epoch !== undefined && epoch === lastEpoch) return;
        lastEpoch = undefined; // until the spots are read, too
        const read = await get(url);
        if (read.kind === "changed") known = deliver(read.content);
        lastEpoch = epoch;
        return;
      }
      const answer = await get(url, validators);
      onOpen();
      if (answer.kind === "unchanged") return;
      known = deliver(answer.content);
      ({ validators } = answer);
    } catch (failure) {
      if (!signal.aborted) throw failure;
    }

    /** Reports the spots that the last answer didn't have, the oldest first. */
    function deliver(content: Uint8Array): ReadonlySet<string> {
      const spots = readSpots(url, content);
      onOpen();
      const keys = new Set<string>();
      for (const spot of spots.toReversed()) {
        const key = JSON.stringify(spot);
        keys.add(key);
        if (known.has(key)) continue;
        const item = parseFeedLine(spot, { format });
        if (item.kind !== "unknown") onItem(item);
      }
      return keys;
    }
  };
}

function readSpots(url: string, content: Uint8Array): object[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(content));
  } catch (cause) {
    throw new AnswerError(url, "the response is not JSON", { cause });
  }
  if (!Array.isArray(value)) throw new AnswerError(url, "the response is not an array of spots");
  return value
    .slice(0, MAX_SPOTS)
    .filter((spot): spot is object => typeof spot === "object" && spot !== null);
}
