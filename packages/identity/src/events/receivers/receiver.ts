/** Receivers of events: programs and files that events are sent to. */
import type { PositionedEvent } from "../event-store.js";

export interface EventReceiver {
  /** For its position in the database, metrics and the log. */
  readonly name: string;
  /** Makes what others look for before there are events. */
  open?(): Promise<void>;
  /** Resolves when the receiver has all of them for good. A receiver may get an event again after a failure. */
  send(events: readonly PositionedEvent[]): Promise<void>;
  /** Releases connections. */
  close(): Promise<void>;
}
