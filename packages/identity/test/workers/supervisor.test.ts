import { EventEmitter } from "node:events";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createLog } from "../../src/platform/log.js";
import { createWorkerLink, type Message, type WorkerLink } from "../../src/workers/worker-link.js";
import { supervise, type Supervisor, type WorkerIdentity } from "../../src/workers/supervisor.js";

/** A process that is none: its two ends are in this one. */
class FakeWorker extends EventEmitter {
  readonly inside = new EventEmitter();
  readonly link: WorkerLink;
  readonly process = {
    kill: () => {
      this.isAlive = false;
      return this.emit("exit", null, "SIGKILL");
    },
  };
  isAlive = true;

  constructor(
    readonly id: number,
    readonly isFirst: boolean,
  ) {
    super();
    const send = (message: Message) => this.emit("message", message);
    this.link = createWorkerLink(
      { id, isFirst },
      { send, on: (event, listener) => this.inside.on(event, listener) },
    );
    this.link.share(() => Promise.resolve(`counted by ${id}`));
  }
  isConnected = () => this.isAlive;
  send = (message: Message) => this.inside.emit("message", message);
  end(code: number): void {
    this.isAlive = false;
    this.emit("exit", code, null);
  }
}

let forked: FakeWorker[];
let supervisor: Supervisor;
beforeEach(() => {
  vi.useFakeTimers();
  forked = [];
  const fork = ({ id, isFirst }: WorkerIdentity) => {
    const worker = new FakeWorker(id, isFirst);
    forked.push(worker);
    return worker;
  };
  supervisor = supervise({
    fork,
    count: 3,
    metricsPort: undefined,
    shutdownDelayMs: 5000,
    log: createLog("silent", { write: () => {} }),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const ids = () => forked.map(({ id }) => id);

describe("several processes", () => {
  it("start when the first one serves, which has made the database by then", () => {
    expect(ids()).toEqual([1]);
    forked[0]?.emit("listening");
    expect(ids()).toEqual([1, 2, 3]);
    forked[1]?.emit("listening");
    expect(ids()).toEqual([1, 2, 3]);
  });

  it("start when the first one no longer waits for its key: one that listens only to say so does not serve", () => {
    forked[0]?.link.setWaiting(true);
    forked[0]?.emit("listening");
    expect(ids()).toEqual([1]);
    forked[0]?.link.setWaiting(false);
    forked[0]?.emit("listening");
    expect(ids()).toEqual([1, 2, 3]);
    forked[0]?.end(1);
    vi.advanceTimersByTime(2000);
    expect(forked.map(({ isFirst }) => isFirst)).toEqual([true, false, false, false]);
  });

  it("are given up when the first one can't serve", async () => {
    forked[0]?.end(1);
    await supervisor.failed;
    expect(await supervisor.stop()).toBe(true);
    expect(ids()).toEqual([1]);
  });

  it("stop at once when they listen after a stop: the message to one that was starting was lost", async () => {
    forked[0]?.emit("listening");
    const heard = vi.fn<(message: Message) => boolean>();
    if (forked[1] !== undefined) forked[1].send = () => true;
    const stopped = supervisor.stop();
    for (const id of [0, 2]) forked[id]?.end(0);
    if (forked[1] !== undefined) forked[1].send = heard;
    forked[1]?.emit("listening");
    expect(heard).toHaveBeenCalledWith({ kind: "stop", isHurried: true });
    forked[1]?.end(0);
    expect(await stopped).toBe(true);
  });

  it("are replaced when they die: at once, or after a while where they don't live long", () => {
    forked[0]?.emit("listening");
    vi.advanceTimersByTime(60_000);
    forked[1]?.end(1);
    vi.advanceTimersByTime(0);
    expect(ids()).toEqual([1, 2, 3, 2]);
    forked[3]?.end(1);
    vi.advanceTimersByTime(900);
    expect(ids()).toEqual([1, 2, 3, 2]);
    vi.advanceTimersByTime(200);
    expect(ids()).toEqual([1, 2, 3, 2, 2]);
  });

  it("receive stop and reload, and are not replaced during a stop", async () => {
    forked[0]?.emit("listening");
    const reload = vi.fn<() => void>();
    for (const { link } of forked) link.onReload(reload);
    supervisor.reload();
    expect(reload).toHaveBeenCalledTimes(3);
    for (const worker of forked) void worker.link.stopped.then(() => worker.end(0));
    expect(await supervisor.stop()).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(ids()).toEqual([1, 2, 3]);
  });

  it("are ended by force when they take too long", async () => {
    const stopped = supervisor.stop();
    vi.advanceTimersByTime(19_999);
    expect(forked[0]?.isAlive).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await stopped).toBe(false);
  });

  it("answer for all: whichever is asked what it has counted", async () => {
    forked[0]?.emit("listening");
    expect(await forked[2]?.link.collect()).toEqual(["counted by 1", "counted by 2", "counted by 3"]);
  });

  it("answer without the silent ones", async () => {
    forked[0]?.emit("listening");
    forked[1]?.link.share(() => new Promise(() => {}));
    const collected = forked[0]?.link.collect();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await collected).toEqual(["counted by 1", "counted by 3"]);
  });
});
