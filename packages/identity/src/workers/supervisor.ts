/** The process that looks after those that serve: it starts them, replaces one that died, and has all of them end. */
import type { FastifyBaseLogger } from "fastify";

import { toMessage, type Message, type StopRequest } from "./messages.js";

/** How long workers may take to end, beside the delay before it: longer than they give their requests. */
const STOP_MS = 15_000;
/** How long they are waited for when they are asked what they have counted. */
const COLLECT_MS = 2000;
/** A worker that died sooner is replaced after a wait, so that one that can't live does not keep the machine busy. */
const SHORT_LIFE_MS = 10_000;
const WAIT_MS = 1000;

/** A process that serves: what `node:cluster` calls a worker. */
export interface Worker {
  readonly process: { readonly pid?: number | undefined; kill(signal: "SIGKILL"): unknown };
  send(message: Message): unknown;
  isConnected(): boolean;
  on(event: "message", listener: (said: unknown) => void): unknown;
  on(event: "listening", listener: (address?: { readonly port: number }) => void): unknown;
  on(event: "exit", listener: (code: number | null, signal: string | null) => void): unknown;
}

export interface SupervisorDeps {
  /** Starts a process that serves, as one of these, counted from 1. The one that takes its place has its number. */
  readonly fork: (id: number) => Worker;
  readonly count: number;
  /** A port on which workers listen beside that of the service. */
  readonly metricsPort?: number | undefined;
  /** How long workers go on listening when they are told to stop. */
  readonly shutdownDelayMs: number;
  readonly log: FastifyBaseLogger;
}

export interface Supervisor {
  /** Resolves when the first one died before any has served: then all would. */
  readonly failed: Promise<void>;
  /** Has all end what they have begun. Resolves to whether all of them did. */
  stop(request?: StopRequest): Promise<boolean>;
  /** Has all read their files again. */
  reload(): void;
}

/** Starts one, and the others once that one serves. */
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
    const worker = fork(id);
    const startedAt = performance.now();
    workers.set(id, worker);
    worker.on("message", (said) => hear(worker, toMessage(said)));
    worker.on("listening", (address) => {
      if (address !== undefined && address.port === metricsPort) return;
      hasServed = true;
      fill();
    });
    worker.on("exit", (code, signal) => {
      workers.delete(id);
      isClean &&= code === 0;
      if (isStopping) return workers.size === 0 && ended.send();
      log.error({ worker: id, code, signal }, "worker died");
      const isShort = performance.now() - startedAt < SHORT_LIFE_MS;
      return hasServed ? setTimeout(fill, isShort ? WAIT_MS : 0) : failed.send();
    });
  }

  function hear(worker: Worker, message: Message | undefined): void {
    if (message?.kind === "counted") counters.hear(message.question, message.counts);
    if (message?.kind === "collect") void answer(worker, message.question);
  }

  async function answer(asker: Worker, question: number): Promise<void> {
    tell(asker, { kind: "collected", question, counts: await counters.ask([...workers.values()]) });
  }

  fill();
  return {
    failed: failed.sent,
    reload() {
      for (const worker of workers.values()) tell(worker, { kind: "reload" });
    },
    async stop({ isHurried } = { isHurried: false }) {
      isStopping = true;
      isClean = true;
      if (workers.size === 0) ended.send();
      for (const worker of workers.values()) tell(worker, { kind: "stop", isHurried });
      const late = setTimeout(() => {
        for (const worker of workers.values()) worker.process.kill("SIGKILL");
      }, shutdownDelayMs + STOP_MS);
      await ended.sent;
      clearTimeout(late);
      return isClean;
    },
  };
}

/** Asks workers what they have counted. One that doesn't say so in time is left out. */
function createCounters() {
  const waiting = new Map<number, (counts: unknown) => void>();
  let asked = 0;

  async function askOne(worker: Worker): Promise<unknown> {
    const question = ++asked;
    const counts = await new Promise((resolve) => {
      waiting.set(question, resolve);
      setTimeout(() => resolve(undefined), COLLECT_MS).unref();
      tell(worker, { kind: "collect", question });
    });
    waiting.delete(question);
    return counts;
  }

  return {
    hear: (question: number, counts: unknown) => waiting.get(question)?.(counts),
    async ask(workers: readonly Worker[]): Promise<unknown[]> {
      return (await Promise.all(workers.map(askOne))).filter((counts) => counts !== undefined);
    },
  };
}

/** Something that happens once. */
function createSignal(): { readonly sent: Promise<void>; readonly send: () => void } {
  let send: (() => void) | undefined;
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send: () => send?.() };
}

/** One that is about to end hears nothing any more. */
function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message);
}
