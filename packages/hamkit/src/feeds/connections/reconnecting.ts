/** Keeps a source connected: again after a failure, with delays that grow. */
import { isHamkitError } from "../../errors.js";
import { isMissingModule } from "../../io/sockets/mqtt-client.js";
import { pause } from "../../io/timers.js";
import type { FeedHandlers, FeedSource } from "./feed-source.js";

/** The state of a source. */
export type SourceState =
  | { readonly source: string; readonly state: "connecting" }
  | { readonly source: string; readonly state: "connected" }
  /** The connection failed or was lost; the next attempt is after the delay. */
  | {
      readonly source: string;
      readonly state: "waiting";
      readonly delayMs: number;
      readonly error: unknown;
    }
  /** The source has nothing more. */
  | { readonly source: string; readonly state: "ended" }
  /** The source is not connected again: the login was rejected, the runtime lacks a module, or lines failed. */
  | { readonly source: string; readonly state: "failed"; readonly error: unknown };

export interface RunOptions {
  readonly handlers: FeedHandlers;
  /** The longest delay. Half of it may be added at random. */
  readonly maxRetryDelayMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onState: (state: SourceState) => void;
}

const DEFAULT_RETRY_DELAY_MS = 1000;
export const DEFAULT_MAX_RETRY_DELAY_MS = 300_000;
/** A connection that lasts so long was a good one: delays begin anew. */
const STABLE_MS = 60_000;
const MAX_DOUBLINGS = 20;

/** Failures that another attempt doesn't change. */
const LASTING: ReadonlySet<string> = new Set(["login/refused", "argument/invalid", "argument/wrong-type"]);

function isLasting(error: unknown): boolean {
  return isMissingModule(error) || (isHamkitError(error) && LASTING.has(error.code));
}

/** Runs a source until it ends, fails for good, or the signal is aborted. Returns the lasting failure. */
export async function runSource(source: FeedSource, options: RunOptions): Promise<unknown> {
  const { handlers, maxRetryDelayMs, random, onState } = options;
  const { name } = source;
  const { signal } = handlers;
  for (let failures = 0; ; failures++) {
    const startedAt = Date.now();
    onState({ source: name, state: "connecting" });
    try {
      await source.connect({
        ...handlers,
        onOpen: () => {
          onState({ source: name, state: "connected" });
          handlers.onOpen();
        },
      });
      if (!signal.aborted) onState({ source: name, state: "ended" });
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (source.once === true || isLasting(error)) {
        onState({ source: name, state: "failed", error });
        return error;
      }
      if (Date.now() - startedAt > STABLE_MS) failures = 0;
      const delayMs = retryDelay(failures, { source, maxRetryDelayMs, random });
      onState({ source: name, state: "waiting", delayMs, error });
      await pause(delayMs, signal);
      if (signal.aborted) return undefined;
    }
  }
}

/**
 * Doubles with each failure. A part of it is random, so that the clients of a server that restarts don't come all at once; never
 * less than the source's own delay, which can be a courtesy.
 */
function retryDelay(
  failures: number,
  {
    source,
    maxRetryDelayMs,
    random,
  }: Pick<RunOptions, "maxRetryDelayMs" | "random"> & { source: FeedSource },
): number {
  const { retryDelayMs = DEFAULT_RETRY_DELAY_MS } = source;
  const longest = Math.max(maxRetryDelayMs, retryDelayMs);
  const delay = Math.min(retryDelayMs * 2 ** Math.min(failures, MAX_DOUBLINGS), longest);
  return Math.round(delay * (1 + random() / 2));
}
