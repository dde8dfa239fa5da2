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
  /** Characters that are kept. */
  readonly maxKept: number;
  /** The line in place of dropped ones. */
  readonly gap: (dropped: number) => string;
  /** Called when lines are first dropped, with the reason. */
  readonly onDrop?: (reason: string) => void;
}

export interface LineWriter {
  /** @param line With its line feed. */
  write(line: string): void;
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

/** How long a line may wait for others. */
const TOGETHER_MS = 5;

let isAfterResponse = false;

/** Runs what writes lines about a request that has its response: they may wait for others. */
export function afterResponse(run: () => void): void {
  isAfterResponse = true;
  try {
    run();
  } finally {
    isAfterResponse = false;
  }
}

export function createLineWriter({ sink, maxKept, gap, onDrop }: LineWriterOptions): LineWriter {
  let lines: string[] = [];
  /** For what is written together: a buffer for each would be garbage. */
  const buffer = Buffer.allocUnsafeSlow(sink.maxBytes);
  let kept = 0;
  /** The bytes that are being written, and the characters of their lines. */
  let rest: Uint8Array = new Uint8Array();
  let characters = 0;
  let stall: Stall | undefined;
  let dropped = 0;
  /** Since the last line that was kept. */
  let missing = 0;
  let pauseMs = MIN_PAUSE_MS;
  let isScheduled = false;
  /** Whether the lines wait for others. */
  let isDue = false;

  function keep(line: string): void {
    lines.push(line);
    kept += line.length;
  }

  function closeGap(): void {
    if (missing === 0) return;
    keep(gap(missing));
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
      if (stall === undefined) flush();
    }, TOGETHER_MS);
  }

  /** The next lines that are written together: at least one. */
  function take(): Uint8Array {
    let [count, bytes] = [0, 0];
    characters = 0;
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (count > 0 && bytes + length > sink.maxBytes) break;
      count++;
      bytes += length;
      characters += line.length;
    }
    const text = lines.splice(0, count).join("");
    return bytes > buffer.length ? Buffer.from(text) : buffer.subarray(0, buffer.write(text));
  }

  function flush(): void {
    try {
      for (;;) {
        if (rest.length === 0 && lines.length === 0) closeGap();
        if (rest.length === 0 && lines.length === 0) return;
        if (rest.length === 0) rest = take();
        rest = rest.subarray(sink.write(rest));
        if (rest.length === 0) kept -= characters;
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
      if (stall === undefined && isDue && kept + line.length > sink.maxBytes) flush();
      // Once full, half of it has to be written first: one gap, rather than many.
      if (kept + line.length > (missing === 0 ? maxKept : maxKept / 2)) {
        dropped++;
        if (missing++ === 0) onDrop?.(stall?.reason ?? "a line is too long");
        return;
      }
      closeGap();
      keep(line);
      if (stall !== undefined) schedule();
      else if (isAfterResponse) flushSoon();
      // At once: the log has the lines of a request before its client has the response.
      else flush();
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
