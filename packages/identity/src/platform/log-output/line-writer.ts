/**
 * Writes lines through a bounded buffer, in order. It neither waits nor fails: while the lines can't be written they are kept, and
 * when the buffer is full the later ones are dropped. A line in their place has their number.
 */

/** Where lines go. */
export interface LineSink {
  /** @returns The number of bytes written. @throws An error with a code: `EAGAIN` if the reader is behind. */
  write(bytes: Uint8Array): number;
  /** Bytes that are written together: lines of several processes mix within longer writes. */
  readonly maxBytes: number;
}

export interface LineWriterOptions {
  readonly sink: LineSink;
  /** Bytes that are kept. */
  readonly maxKept: number;
  /** The line in place of dropped ones. */
  readonly gap: (dropped: number) => string;
  /** Called when lines are first dropped, with the reason. */
  readonly onDrop?: (reason: string) => void;
}

export interface LineWriter {
  /** @param line With its line feed. */
  write(line: string): void;
  /** Adds a line that may wait for others: it is made with them, which takes less time than one after each request. */
  writeLater(makeLine: () => string): void;
  /** Writes what is kept, if that is possible now. */
  flush(): void;
  /** Writes what is kept, and waits for the reader for at most `maxMs`. The thread is blocked. */
  end(maxMs: number): void;
  /** The number of lines that were dropped. */
  dropped(): number;
  /** Why lines have not been written for a second, or at all; `undefined` if they are. */
  fault(): string | undefined;
}

/** A reader that is behind for less is none that does not read. */
const SLOW_MS = 1000;
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 200;

interface Stall {
  readonly reason: string;
  readonly isSlowReader: boolean;
  readonly since: number;
}

/** How long a line may wait for others, and for how many. */
const TOGETHER_MS = 5;
const TOGETHER = 64;

export function createLineWriter({ sink, maxKept, gap, onDrop }: LineWriterOptions): LineWriter {
  /** Lines that are written together: a buffer for each write would be garbage. */
  const together = Buffer.allocUnsafeSlow(sink.maxBytes);
  let used = 0;
  /** What found no room there, oldest first. */
  const earlier: Uint8Array[] = [];
  /** The bytes of all that. */
  let kept = 0;
  let stall: Stall | undefined;
  let dropped = 0;
  /** Since the last line that was kept. */
  let missing = 0;
  let pauseMs = MIN_PAUSE_MS;
  let isScheduled = false;
  /** Lines that wait for others, and whether a timer is set for them. */
  let unmade: (() => string)[] = [];
  let isDue = false;

  function add(line: string): void {
    const bytes = Buffer.byteLength(line);
    // Once full, half of it has to be written first: one gap, rather than many.
    if (kept + bytes > (missing === 0 ? maxKept : maxKept / 2)) {
      dropped++;
      if (missing++ === 0) onDrop?.(stall?.reason ?? "a line is too long");
      return;
    }
    closeGap();
    keep(line, bytes);
  }

  function keep(line: string, bytes: number): void {
    if (used + bytes > together.length) keepApart(together.subarray(0, used));
    if (bytes > together.length) earlier.push(Buffer.from(line));
    else used += together.write(line, used);
    kept += bytes;
  }

  /** Makes room for lines that are written together. @param bytes Of those so far. */
  function keepApart(bytes: Uint8Array): void {
    if (bytes.length > 0) earlier.push(Buffer.from(bytes));
    used = 0;
  }

  function closeGap(): void {
    if (missing === 0) return;
    const line = gap(missing);
    keep(line, Buffer.byteLength(line));
    missing = 0;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    setTimeout(() => {
      isScheduled = false;
      flush();
    }, pauseMs).unref();
  }

  /** Lines together: each write is a system call, a tenth of what a short request costs. */
  function flushSoon(): void {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      flush();
    }, TOGETHER_MS);
  }

  function makeLines(): void {
    const makers = unmade;
    unmade = [];
    for (const makeLine of makers) add(makeLine());
  }

  /** Writes what is next, or a part of it. */
  function writeNext(): void {
    const [first] = earlier;
    const next = first ?? together.subarray(0, used);
    const count = sink.write(next);
    kept -= count;
    const rest = next.subarray(count);
    if (first === undefined) keepApart(rest);
    else if (rest.length === 0) earlier.shift();
    else earlier[0] = rest;
  }

  function flush(): void {
    makeLines();
    try {
      for (;;) {
        if (kept === 0) closeGap();
        if (kept === 0) return;
        writeNext();
        stall = undefined;
        pauseMs = MIN_PAUSE_MS;
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isSlowReader = code === "EAGAIN";
      const reason = isSlowReader ? "no one reads it" : message;
      stall = { reason, isSlowReader, since: stall?.since ?? performance.now() };
      schedule();
    }
  }

  return {
    write(line) {
      makeLines();
      add(line);
      // At once: the log has the lines of a request before its client has the response.
      if (stall === undefined) flush();
      else schedule();
    },
    writeLater(makeLine) {
      unmade.push(makeLine);
      if (stall !== undefined) {
        makeLines();
        schedule();
      } else if (unmade.length === TOGETHER) flush();
      else flushSoon();
    },
    flush,
    end(maxMs) {
      const deadline = performance.now() + maxMs;
      flush();
      while (stall?.isSlowReader && performance.now() < deadline) {
        sleep(MIN_PAUSE_MS);
        flush();
      }
    },
    dropped: () => dropped,
    fault() {
      if (stall === undefined) return undefined;
      const isShort = performance.now() - stall.since < SLOW_MS;
      return stall.isSlowReader && isShort && missing === 0 ? undefined : stall.reason;
    },
  };
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
