/** Keeping requests to one service polite: few at a time, not too fast, and none twice at once. */

/** Time, as far as it is waited for. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface RequestQueueOptions {
  /** How many requests may be under way at the same time. */
  readonly concurrency: number;
  /** The least time between the starts of two requests. */
  readonly intervalMs: number;
  readonly clock: Clock;
}

export interface RequestQueue<Answer> {
  /** The answer to a request; to one that waits or is under way already, where there is one of the same key. */
  ask(key: string, request: () => Promise<Answer>): Promise<Answer>;
  /** Waits, and lets no request begin meanwhile. */
  pause(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};

/** A queue of requests to one service. They begin in the order in which they were asked for. */
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
    // Again and again, because a pause may have begun meanwhile.
    for (let wait = nextStart - clock.now(); wait > 0; wait = nextStart - clock.now()) {
      await clock.sleep(wait);
    }
    nextStart = clock.now() + intervalMs;
  }

  async function enter(): Promise<void> {
    if (underWay < concurrency) underWay++;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    lastStart = startAfter(lastStart);
    await lastStart;
  }

  /** The place goes to the next in line. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }

  async function run(request: () => Promise<Answer>): Promise<Answer> {
    await enter();
    try {
      return await request();
    } finally {
      leave();
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
