/** Files of records for commands whose logs may be larger than memory: what is looked up later, and the log that is written. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AdifRecord } from "../../adif/parse-adif.js";
import { IOError } from "../../errors.js";
import { placeDraft } from "../../io/file.js";
import type { RecordStore } from "../../merge.js";

const PIECE = 1 << 18;

/** Records in a temporary file. */
export interface FileStore extends RecordStore {
  /** All records are put. */
  ready(): void;
  /** Removes the file. */
  close(): void;
}

/** @throws {IOError} The temporary file can't be written. */
export function createFileStore(): FileStore {
  let folder: string | undefined;
  let file: number | undefined;
  /** Where each record begins, and where the last one ends. */
  const offsets = [0];
  let pending: string[] = [];
  let pendingBytes = 0;
  /** A part of the file, which is read anew: buffers of this size are not collected soon enough. */
  let buffer = Buffer.alloc(0);
  let block = buffer;
  let blockStart = 0;

  function flush(): void {
    if (pendingBytes === 0) return;
    try {
      folder ??= mkdtempSync(join(tmpdir(), "hamkit-"));
      file ??= openSync(join(folder, "records"), "w+", 0o600);
      const bytes = Buffer.from(pending.join(""));
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    } catch (cause) {
      throw new IOError(folder ?? tmpdir(), "the temporary file can't be written", { cause });
    }
    pending = [];
    pendingBytes = 0;
  }

  /** Most records are asked for in their order: a block has many. */
  function read(from: number, until: number): Buffer {
    if (from < blockStart || until > blockStart + block.length) {
      if (buffer.length < Math.max(PIECE, until - from)) buffer = Buffer.alloc(Math.max(PIECE, until - from));
      const length = file === undefined ? 0 : readSync(file, buffer, 0, buffer.length, from);
      block = buffer.subarray(0, length);
      blockStart = from;
    }
    return block.subarray(from - blockStart, until - blockStart);
  }

  return {
    put(record) {
      const text = JSON.stringify(record);
      pending.push(text);
      pendingBytes += Buffer.byteLength(text);
      offsets.push((offsets.at(-1) ?? 0) + Buffer.byteLength(text));
      if (pendingBytes >= PIECE) flush();
      return offsets.length - 2;
    },
    get(number) {
      const [from = 0, until = 0] = [offsets[number], offsets[number + 1]];
      return JSON.parse(read(from, until).toString()) as AdifRecord;
    },
    ready: flush,
    close() {
      if (file !== undefined) closeSync(file);
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      file = folder = undefined;
    },
  };
}

/** A file that is written piece by piece, and has its name when it is complete. */
export interface OutputFile {
  write(text: string): void;
  finish(): Promise<void>;
  abandon(): void;
}

/** @throws {IOError} It can't be written, or exists and may not be replaced. */
export function openOutput(path: string, mayReplace: boolean): OutputFile {
  const draft = `${path}.${randomUUID()}.tmp`;
  let pending: string[] = [];
  let length = 0;
  const file = attempt(() => openSync(draft, "wx"));

  function attempt<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new IOError(path, `the file can't be written: ${reason}`, { cause });
    }
  }

  function flush(): void {
    const bytes = Buffer.from(pending.join(""));
    attempt(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    });
    pending = [];
    length = 0;
  }

  return {
    write(text) {
      pending.push(text);
      length += text.length;
      if (length >= PIECE) flush();
    },
    async finish() {
      flush();
      closeSync(file);
      await placeDraft(draft, path, { mayReplace });
    },
    abandon() {
      try {
        closeSync(file);
      } catch {
        // It was closed by finish.
      }
      rmSync(draft, { force: true });
    },
  };
}
