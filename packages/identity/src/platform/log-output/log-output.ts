/** The log on standard output: a log that can't be written neither stops nor ends the service. */
import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";

import { createLineWriter, type LineSink, type LineWriter } from "./line-writer.js";

/** What the log of this process lacks. */
export interface LogHealth {
  /** The number of lines that were dropped. */
  dropped(): number;
  /** Sentences for `/readyz`. */
  impairments(): readonly string[];
  /** Whether all lines are written, apart from those of the last second where the reader is behind. */
  isStored(): boolean;
}

export interface LogOutput extends Pick<LineWriter, "write" | "writeLater">, LogHealth {
  /** Writes what is kept; pino calls it at a fatal error. */
  flushSync(): void;
  /** Writes what is kept before the process exits. */
  end(): void;
}

export interface LogOutputOptions {
  readonly sink: LineSink;
  /** Where dropped lines are reported: the log is the wrong place. */
  readonly errors: LineSink;
}

/** Bytes of lines that can't be written: some tens of thousands of requests. */
const MAX_KEPT = 4 << 20;
const MAX_KEPT_ERRORS = 4096;
/** How long the end of the process waits for a reader. */
const END_MS = 500;

export function createLogOutput({ sink, errors }: LogOutputOptions): LogOutput {
  const notes = createLineWriter({ sink: errors, maxKept: MAX_KEPT_ERRORS, gap: () => "" });
  const note = (text: string) => notes.write(`hamkit-identity: ${text}\n`);
  const lines = createLineWriter({
    sink,
    maxKept: MAX_KEPT,
    gap(dropped) {
      note(`the log is written again; ${dropped} lines were dropped`);
      const time = new Date().toISOString();
      return `${JSON.stringify({ level: "error", time, dropped, msg: "log lines dropped" })}\n`;
    },
    onDrop: (reason) => note(`the log can't be written (${reason}): lines are dropped`),
  });
  return {
    write: (line) => lines.write(line),
    writeLater: (makeLine) => lines.writeLater(makeLine),
    flushSync: () => lines.flush(),
    end() {
      lines.end(END_MS);
      notes.flush();
    },
    dropped: () => lines.dropped(),
    impairments() {
      const fault = lines.fault();
      return fault === undefined
        ? []
        : [
            `The log can't be written (${fault}): its lines are kept in memory as long as there is room, and ${lines.dropped()} were dropped.`,
          ];
    },
    isStored() {
      lines.flush();
      return lines.fault() === undefined;
    },
  };
}

/** A pipe takes so many bytes at once, or none: `PIPE_BUF` of Linux. */
const PIPE_BYTES = 4096;
const FILE_BYTES = 65_536;

/**
 * Writes to standard output or standard error without blocking, whatever they are: a file, a terminal, a pipe that no one reads.
 *
 * @param fd 1 or 2.
 */
export function stdioSink(fd: number): LineSink {
  const kind = fstatSync(fd);
  const isStream = kind.isFIFO() || kind.isSocket();
  const write =
    isStream || isatty(fd) ? nonBlocking(fd, isStream) : (bytes: Uint8Array) => writeSync(fd, bytes);
  return { maxBytes: isStream ? PIPE_BYTES : FILE_BYTES, write };
}

/**
 * Whether writes block is a property that all processes with the same pipe, socket or terminal share, and each may change. So it is
 * opened again, which Linux allows except for sockets and pipes of other users.
 */
function nonBlocking(fd: number, isStream: boolean): LineSink["write"] {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const own = openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    return (bytes) => writeSync(own, bytes);
  } catch {
    return isStream ? nonBlockingStream(fd) : (bytes) => writeSync(fd, bytes);
  }
}

/** A stream of Node without its type declaration. */
interface Handle {
  readonly _handle: { setBlocking?(isBlocking: boolean): unknown } | null;
}

/** Node has no other function for it. A process that exits restores what was before: so it is set for each write. */
function nonBlockingStream(fd: number): LineSink["write"] {
  const stream = new Socket({ fd, readable: false, writable: true }) as unknown as Handle;
  return (bytes) => {
    stream._handle?.setBlocking?.(false);
    return writeSync(fd, bytes);
  };
}
