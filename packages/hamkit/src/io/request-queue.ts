/** Limits concurrency and rate of requests to one service, and shares equal requests in flight. */

/** A monotonic clock that can sleep. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface RequestQueueOptions {
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Minimum time between the starts of two requests. */
  readonly intervalMs: number;
  readonly clock: Clock;
}

export interface RequestQueue<Answer> {
  /** Sends a request; joins a waiting or running request with the same key. */
  ask(key: string, request: () => Promise<Answer>): Promise<Answer>;
  /** Waits; no request starts during that time. */
  pause(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};

/** A queue of requests to one service, in first-in, first-out order. */
export function createRequestQueue<Answer>({
  concurrency,
  intervalMs,
  clock,
}: RequestQueueOptions): RequestQueue<Answer> {
  const shared = new Map<string, Promise<Answer>>();
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let nextStart = clock.now();

  let lastStart: Promise<void> | undefined;

  async function startAfter(previous: Promise<void> | undefined): Promise<void> {
    await previous;
    // Repeated, because a pause may have started during the sleep.
    for (let wait = nextStart - clock.now(); wait > 0; wait = nextStart - clock.now()) {
      await clock.sleep(wait);
    }
    nextStart = clock.now() + intervalMs;
  }

  async function acquireSlot(): Promise<void> {
    if (underWay < concurrency) underWay++;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    lastStart = startAfter(lastStart);
    await lastStart;
  }

  /** Passes the slot to the next waiting request. */
  function releaseSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }

  async function run(request: () => Promise<Answer>): Promise<Answer> {
    await acquireSlot();
    try {
      return await request();
    } finally {
      releaseSlot();
    }
  }

  return {
    ask(key, request) {
      let answer = shared.get(key);
      if (answer === undefined) {
        answer = run(request).finally(() => shared.delete(key));
        shared.set(key, answer);
      }
      return answer;
    },
    async pause(milliseconds) {
      nextStart = Math.max(nextStart, clock.now() + milliseconds);
      await clock.sleep(milliseconds);
    },
  };
}
