/** The supervisor process: starts workers, replaces dead ones, and stops all of them. */
import type { ChildProcess } from "node:child_process";

import type { FastifyBaseLogger } from "fastify";

import { toMessage, type Message, type StopRequest } from "./worker-link.js";

/** How long workers may take to stop after the shutdown delay: longer than they give their requests. */
const STOP_MS = 15_000;
/** Timeout of a worker's metrics. */
const COLLECT_MS = 2000;
/** A worker that dies sooner is replaced after a delay, to avoid a busy restart loop. */
const SHORT_LIFE_MS = 10_000;
const RESTART_DELAY_MS = 1000;

/** A worker of `node:cluster`. */
export interface Worker {
  readonly process: { readonly pid?: number | undefined; kill(signal: "SIGKILL"): unknown };
  send(message: Message): unknown;
  isConnected(): boolean;
  on(event: "message", listener: (received: unknown) => void): unknown;
  on(event: "listening", listener: (address?: { readonly port: number }) => void): unknown;
  on(event: "exit", listener: (code: number | null, signal: string | null) => void): unknown;
}

export interface WorkerIdentity {
  /** Counts from 1; a replacement has the id of its predecessor. */
  readonly id: number;
  /** Whether no worker has served yet. */
  readonly isFirst: boolean;
}

export interface SupervisorDeps {
  /** Starts a worker process. */
  readonly fork: (identity: WorkerIdentity) => Worker;
  readonly count: number;
  /** The separate port for metrics, on which workers also listen; `undefined` without one. */
  readonly metricsPort: number | undefined;
  /** How long workers keep listening after a stop message. */
  readonly shutdownDelayMs: number;
  readonly log: FastifyBaseLogger;
}

export interface Supervisor {
  /** Resolves when the first worker dies before it listens: then all would. */
  readonly failed: Promise<void>;
  /** Stops all workers gracefully. Resolves to whether all exited with code 0. */
  stop(request?: StopRequest): Promise<boolean>;
  /** Has all workers reload files. */
  reload(): void;
}

/** Starts one worker, and the others when it serves. */
export function supervise({ fork, count, metricsPort, shutdownDelayMs, log }: SupervisorDeps): Supervisor {
  const workers = new Map<number, Worker>();
  const failed = createSignal();
  const ended = createSignal();
  const counters = createCounters();
  let isStopping = false;
  let isClean = true;
  let hasServed = false;

  function fill(): void {
    for (let id = 1; id <= (hasServed ? count : 1); id++) if (!isStopping && !workers.has(id)) start(id);
  }

  function start(id: number): void {
    const worker = fork({ id, isFirst: !hasServed });
    const startedAt = performance.now();
    let hasListened = false;
    let isWaiting = false;
    workers.set(id, worker);
    worker.on("message", (received) => {
      const message = toMessage(received);
      if (message?.kind === "waiting") isWaiting = message.isWaiting;
      else onMessage(worker, message);
    });
    worker.on("listening", (address) => {
      if (address !== undefined && address.port === metricsPort) return;
      hasListened = true;
      hasServed ||= !isWaiting;
      // A message to a worker that is starting is lost: node:cluster takes it before the program listens for messages.
      if (isStopping) send(worker, { kind: "stop", isHurried: true });
      fill();
    });
    worker.on("exit", (code, signal) => {
      workers.delete(id);
      // One that ended while it was starting had no requests to complete.
      isClean &&= code === 0 || (!hasListened && signal === null);
      if (isStopping) return workers.size === 0 && ended.raise();
      log.error({ worker: id, code, signal }, "worker died");
      const isShort = performance.now() - startedAt < SHORT_LIFE_MS;
      return hasServed ? setTimeout(fill, isShort ? RESTART_DELAY_MS : 0) : failed.raise();
    });
  }

  function onMessage(worker: Worker, message: Message | undefined): void {
    if (message?.kind === "counted") counters.receive(message.requestId, message.counts);
    if (message?.kind === "collect") void respond(worker, message.requestId);
  }

  async function respond(worker: Worker, requestId: number): Promise<void> {
    send(worker, { kind: "collected", requestId, counts: await counters.collect([...workers.values()]) });
  }

  fill();
  return {
    failed: failed.raised,
    reload() {
      for (const worker of workers.values()) send(worker, { kind: "reload" });
    },
    async stop({ isHurried } = { isHurried: false }) {
      isStopping = true;
      isClean = true;
      if (workers.size === 0) ended.raise();
      for (const worker of workers.values()) send(worker, { kind: "stop", isHurried });
      const late = setTimeout(() => {
        for (const worker of workers.values()) worker.process.kill("SIGKILL");
      }, shutdownDelayMs + STOP_MS);
      await ended.raised;
      clearTimeout(late);
      return isClean;
    },
  };
}

/** Collects the metrics of workers. Those that don't respond in time are left out. */
function createCounters() {
  const waiting = new Map<number, (counts: unknown) => void>();
  let lastId = 0;

  async function collectFrom(worker: Worker): Promise<unknown> {
    const requestId = ++lastId;
    const counts = await new Promise((resolve) => {
      waiting.set(requestId, resolve);
      setTimeout(() => resolve(undefined), COLLECT_MS).unref();
      send(worker, { kind: "collect", requestId });
    });
    waiting.delete(requestId);
    return counts;
  }

  return {
    receive: (requestId: number, counts: unknown) => waiting.get(requestId)?.(counts),
    async collect(workers: readonly Worker[]): Promise<unknown[]> {
      return (await Promise.all(workers.map(collectFrom))).filter((counts) => counts !== undefined);
    },
  };
}

/** A promise with its resolver. */
function createSignal(): { readonly raised: Promise<void>; readonly raise: () => void } {
  let raise: (() => void) | undefined;
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  return { raised, raise: () => raise?.() };
}

/** An exiting worker is no longer connected. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message);
}

interface Connection {
  close(): void;
}

/** A message of `node:cluster`: a connection, or a confirmation. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
  /** Of a confirmation: `false` from a worker that no longer listens. */
  readonly accepted?: boolean;
}

/**
 * Closes connections that a worker died with before it had accepted them, and those that it came too late for and no other can take: when
 * it ends its wait for the master key, it listens anew.
 *
 * `node:cluster` passes an accepted connection to a worker, and closes its own copy when the worker confirms that. Without a confirmation
 * it would keep the connection open, and the client would wait for a response until its timeout.
 *
 * @param worker A process that has just been started.
 * @param isAlone Whether there is no other worker.
 */
export function closeUnconfirmed(worker: ChildProcess, isAlone: () => boolean): void {
  const unconfirmed = new Map<number, Connection>();
  const sendOn = worker.send.bind(worker) as (...args: readonly unknown[]) => boolean;
  worker.send = (...args: readonly unknown[]) => {
    const [message, connection] = args as [ClusterMessage, Connection | undefined];
    if (message.act === "newconn" && message.seq !== undefined && connection)
      unconfirmed.set(message.seq, connection);
    return sendOn(...args);
  };
  worker.on("internalMessage", ({ ack, accepted }: ClusterMessage) => {
    if (ack === undefined) return;
    if (accepted === false && isAlone()) unconfirmed.get(ack)?.close();
    unconfirmed.delete(ack);
  });
  const close = () => {
    for (const connection of unconfirmed.values()) connection.close();
    unconfirmed.clear();
  };
  // The last confirmations are read before the end of the channel.
  worker.once("exit", () => (worker.connected ? worker.once("disconnect", close) : close()));
}
