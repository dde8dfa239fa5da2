/**
 * Sends the stored events: one process at a time gives them positions, and takes each receiver through them in order. A receiver that
 * fails is tried again, with pauses, while others go on.
 */
import { setTimeout as delay } from "node:timers/promises";

import type { FastifyBaseLogger } from "fastify";

import type { Platform } from "../area.js";
import { createBell, type Bell } from "../platform/concurrency/bell.js";
import { messageOf } from "../platform/errors.js";
import {
  backlogAfter,
  deletedAfter,
  serviceEventsAfter,
  eventsStored,
  hasNewEvents,
  holdSending,
  numberEvents,
  openReceiver,
  releaseSending,
  setReceiver,
  type Backlog,
  type PositionedEvent,
  type ReceiverState,
} from "./event-store.js";
import type { EventReceiver } from "./receivers/receiver.js";

export interface EventSenderDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly receivers: readonly EventReceiver[];
  readonly log: Pick<FastifyBaseLogger, "info" | "warn" | "error">;
}

/** What metrics show of a receiver. */
export interface ReceiverReport {
  readonly name: string;
  /** By this process. */
  readonly sent: number;
  readonly failures: number;
  /** Deleted before the receiver took them. */
  readonly dropped: number;
  readonly backlog: Backlog;
}

export interface EventSender {
  /** Empty while another process sends. */
  report(): Promise<readonly ReceiverReport[]>;
  /** Ends what is being sent, and leaves the rest to others. */
  stop(): Promise<void>;
}

/** How often the process that sends looks for events of others. */
const LOOK_MS = 250;
/** Until own events are committed, usually. */
const COMMIT_MS = 5;
/** After this time without a sign of the process that sends, another one takes over. */
const HOLD_MS = 5000;
const RENEW_MS = 1500;
const MAX_BATCH = 200;
/** Between attempts at a receiver that fails. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const UNCACHED = { changes: [] } as const;

/** Where a receiver is. */
interface Progress {
  readonly receiver: EventReceiver;
  /** Rings when there may be events after its position. */
  readonly numbered: Bell;
  position: number;
  sent: number;
  failures: number;
  dropped: number;
}

export function startEventSender(deps: EventSenderDeps): EventSender {
  const { database, clock, newId, receivers, log } = deps;
  const holder = newId();
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const stored = createBell();
  const ringStored = () => void setTimeout(() => stored.ring(), COMMIT_MS);
  eventsStored.subscribe(ringStored);
  let heldUntil = -Infinity;
  /** While this process sends. */
  let progress: readonly Progress[] = [];
  let serving: Promise<unknown> = Promise.resolve();

  const isHeld = () => performance.now() < heldUntil && !stopping.signal.aborted;

  /** @returns Whether this process sends. */
  async function hold(): Promise<boolean> {
    // Counted from before the database's answer: this process stops before another one takes over.
    const startedAt = performance.now();
    const holds = await database.transaction(
      (transaction) => holdSending(database, transaction, { holder, now: clock.now(), holdMs: HOLD_MS }),
      UNCACHED,
    );
    if (holds) heldUntil = startedAt + HOLD_MS;
    return holds;
  }

  async function serveAll(): Promise<void> {
    progress = await database.transaction(async (transaction) => {
      const states: Progress[] = [];
      for (const receiver of receivers)
        states.push({
          receiver,
          numbered: createBell(),
          sent: 0,
          failures: 0,
          ...(await openReceiver(transaction, receiver.name)),
        });
      return states;
    }, UNCACHED);
    log.info({ receivers: receivers.map(({ name }) => name) }, "this process sends the events");
    serving = Promise.all(progress.map(serve));
  }

  /** Takes a receiver through the events while this process sends. */
  async function serve(state: Progress): Promise<void> {
    let pauseMs = MIN_PAUSE_MS;
    let isOpen = false;
    while (isHeld()) {
      try {
        const events = await nextEvents(state);
        if (!isOpen) {
          await state.receiver.open?.();
          isOpen = true;
        } else if (events.length > 0) await send(state, events);
        else await state.numbered.heard(LOOK_MS, signal);
        pauseMs = MIN_PAUSE_MS;
      } catch (error) {
        state.failures++;
        const { name } = state.receiver;
        log.warn({ err: error, receiver: name }, `events wait for ${name}: ${messageOf(error)}`);
        await pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      }
    }
  }

  /** Those that a receiver is to take next; that others were deleted is known while it takes none. */
  async function nextEvents(state: Progress): Promise<readonly PositionedEvent[]> {
    const events = await serviceEventsAfter(database, state.position, MAX_BATCH);
    const [first] = events;
    const missing =
      first === undefined
        ? await deletedAfter(database, state.position)
        : first.position - 1 - state.position;
    if (missing > 0) {
      const { name } = state.receiver;
      log.error(
        { receiver: name, missing },
        `too old or too many events were deleted before ${name} took them`,
      );
      await move(state, { position: state.position + missing, dropped: state.dropped + missing });
    }
    return events;
  }

  async function send(state: Progress, events: readonly PositionedEvent[]): Promise<void> {
    await state.receiver.send(events);
    state.sent += events.length;
    await move(state, { position: events.at(-1)?.position ?? state.position, dropped: state.dropped });
  }

  /** Holds in this process also if the database does not answer: what was sent is not sent again. */
  async function move(state: Progress, to: ReceiverState): Promise<void> {
    Object.assign(state, to);
    await database.transaction((transaction) => setReceiver(transaction, state.receiver.name, to), UNCACHED);
  }

  async function numberNew(): Promise<void> {
    while (isHeld() && (await hasNewEvents(database)))
      await database.transaction((transaction) => numberEvents(transaction, database.kind), UNCACHED);
    for (const { numbered } of progress) numbered.ring();
  }

  async function lead(): Promise<void> {
    let renewAt = -Infinity;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() >= renewAt) {
          const wasHeld = isHeld();
          renewAt = performance.now() + RENEW_MS;
          if ((await hold()) && !wasHeld) {
            await serving;
            await serveAll();
          }
        }
        await numberNew();
      } catch (error) {
        log.error({ err: error }, `events wait: ${messageOf(error)}`);
      }
      await (isHeld() ? stored.heard(LOOK_MS, signal) : pause(RENEW_MS));
    }
  }

  const leading = lead();
  return {
    async report() {
      if (!isHeld()) return [];
      return Promise.all(
        progress.map(async ({ receiver: { name }, sent, failures, dropped, position }) => ({
          name,
          sent,
          failures,
          dropped,
          backlog: await backlogAfter(database, position),
        })),
      );
    },

    async stop() {
      eventsStored.unsubscribe(ringStored);
      stopping.abort();
      await leading;
      await serving;
      for (const receiver of receivers) await receiver.close();
      await database.transaction((transaction) => releaseSending(transaction, holder), UNCACHED);
    },
  };
}
