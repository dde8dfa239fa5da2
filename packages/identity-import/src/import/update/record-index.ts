/** The record of a table's imported rows in memory, so that an update finds what changed without a query for each row. */
import { hash } from "node:crypto";

import type { Queries } from "@hamkit/identity/import-support/storage";

import { countRecorded, readRecorded } from "../import-record.js";

/** `changed` and `same`: as the last import saw the row in Keystone. */
export type RowState = "new" | "changed" | "same";

export interface RecordIndex {
  /** Compares a row with its record, which counts as seen from then on. */
  see(key: string, sourceDigest: string): RowState;
  /** Whether a recorded row was seen. */
  isSeen(key: string): boolean;
  /** Whether a recorded row was seen, and differs from its record. */
  isChanged(key: string): boolean;
  /** The number of recorded rows that were not seen. */
  unseenCount(): number;
}

/** The index of a table; each row takes 24 bytes. */
export async function readRecordIndex(queries: Queries, table: string): Promise<RecordIndex> {
  const index = createRecordIndex(await countRecorded(queries, table));
  for await (const rows of readRecorded(queries, table))
    for (const { row_key, source_digest } of rows) index.add(row_key, source_digest);
  return index;
}

/** Marks of a slot. */
const [EMPTY, RECORDED, SEEN, CHANGED] = [0, 1, 2, 3];

/**
 * A hash table with open addressing: the first 64 bits of SHA-256 stand for a key, and 64 bits of its digest for the row.
 *
 * @param count The number of rows that will be added.
 */
export function createRecordIndex(count: number) {
  const slots = Math.ceil(count * 1.4) + 16;
  const keys = new Uint32Array(slots * 2);
  const digests = new Uint32Array(slots * 2);
  const marks = new Uint8Array(slots);
  let size = 0;
  let seen = 0;

  /** The slot of a key, or the empty one where it belongs. */
  function slotOf(key: string): number {
    // A short string: a buffer has memory of its own.
    const bytes = hash("sha256", key, "binary");
    const [low, high] = [numberAt(bytes, 0), numberAt(bytes, 4)];
    let slot = low % slots;
    while (marks[slot] !== EMPTY && (keys[slot * 2] !== low || keys[slot * 2 + 1] !== high))
      slot = (slot + 1) % slots;
    keys[slot * 2] = low;
    keys[slot * 2 + 1] = high;
    return slot;
  }

  return {
    /** Adds the record of a row. */
    add(key: string, sourceDigest: string): void {
      const slot = slotOf(key);
      const [low, high] = digestNumbers(sourceDigest);
      digests[slot * 2] = low;
      digests[slot * 2 + 1] = high;
      marks[slot] = RECORDED;
      size++;
    },
    see(key: string, sourceDigest: string): RowState {
      const slot = slotOf(key);
      if (marks[slot] === EMPTY) return "new";
      const [low, high] = digestNumbers(sourceDigest);
      const isSame = digests[slot * 2] === low && digests[slot * 2 + 1] === high;
      if (marks[slot] === RECORDED) seen++;
      marks[slot] = isSame ? SEEN : CHANGED;
      return isSame ? "same" : "changed";
    },
    isSeen(key: string): boolean {
      const mark = marks[slotOf(key)];
      return mark === SEEN || mark === CHANGED;
    },
    isChanged: (key: string): boolean => marks[slotOf(key)] === CHANGED,
    unseenCount: (): number => size - seen,
  } satisfies RecordIndex & { readonly add: unknown };
}

/** The 32 bits at a byte of a string of bytes. */
function numberAt(bytes: string, start: number): number {
  let number = 0;
  for (let index = start; index < start + 4; index++) number = (number << 8) | bytes.charCodeAt(index);
  return number >>> 0;
}

/** The first 64 bits of a digest; 0 for the empty one of a row that has only a key. */
function digestNumbers(digest: string): readonly [number, number] {
  if (digest === "") return [0, 0];
  const bytes = Buffer.from(digest, "base64url");
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
