/** What a feed is made of: sources, each of which opens one connection at a time. */
import type { FeedItem } from "../lines/feed-item.js";
import type { FeedSpot } from "../merge/feed-spot.js";

/** What a connection reports. */
export interface FeedHandlers {
  /** Ends the connection when it is aborted. */
  readonly signal: AbortSignal;
  /** The connection is open, and logged in. */
  readonly onOpen: () => void;
  /** An item arrived. */
  readonly onItem: (item: FeedItem) => void;
  /** A spot arrived that needs no parsing. */
  readonly onSpot: (spot: FeedSpot) => void;
  /** Resolves when the reader keeps up: a source that can wait does, and loses nothing. */
  readonly room: () => Promise<void>;
  /** The current time. */
  readonly now: () => Date;
}

/** A source of spots for `openFeed`. */
export interface FeedSource {
  /** Names the source in its spots and in reports of its state. */
  readonly name: string;
  /** `true`: the source is not connected again after a failure, which is then one for good; default `false`. */
  readonly once?: boolean;
  /** The delay before the first retry, which doubles with each further one; default 1000. */
  readonly retryDelayMs?: number;
  /**
   * Opens a connection and reports what arrives.
   *
   * @returns When the source has nothing more, or the signal is aborted.
   * @throws {LoginError} The service rejected the login; the source is not connected again. Neither after a `ValueError`, nor where a
   *   module is missing.
   * @throws Any other failure: the connection is lost, and opened again later.
   */
  connect(handlers: FeedHandlers): Promise<void>;
}
