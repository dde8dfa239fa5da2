/**
 * A table of contacts by what they have in common: 40 bytes for each, outside the heap.
 *
 * What is common is kept as a hash of 64 bits: a log of a million contacts has two different ones of the same hash once in twenty million
 * logs.
 */

/** The values of a contact by which those of one hash are told apart. */
export interface ContactValues {
  /** In minutes. */
  readonly time: number;
  readonly side: number;
  readonly mode: number;
}

export interface ContactTable {
  /** Adds a contact; NaN as `time` keeps its index only. */
  add(text: string, day: number, values: ContactValues): void;
  /** Calls back with the contacts of a text and a day, the last one first. */
  each(text: string, day: number, visit: (index: number, values: ContactValues) => void): void;
  readonly size: number;
}

const INITIAL = 1024;

export function createContactTable(): ContactTable {
  let capacity = INITIAL;
  let size = 0;
  let columns = columnsOf(capacity);
  const found = { time: 0, side: 0, mode: 0 };

  function grow(): void {
    const before = columns;
    capacity *= 2;
    columns = columnsOf(capacity);
    columns.times.set(before.times);
    columns.sides.set(before.sides);
    columns.modes.set(before.modes);
    columns.first.set(before.first);
    columns.second.set(before.second);
    for (let index = 0; index < size; index++) link(index);
  }

  function link(index: number): void {
    const { times, first, heads, before } = columns;
    if (Number.isNaN(times[index])) return;
    const bucket = (first[index] as number) & (capacity - 1);
    before[index] = heads[bucket] as number;
    heads[bucket] = index;
  }

  return {
    add(text, day, { time, side, mode }) {
      if (size === capacity) grow();
      const index = size++;
      columns.times[index] = time;
      columns.sides[index] = side;
      columns.modes[index] = mode;
      columns.first[index] = hashOf(text, day, FIRST);
      columns.second[index] = hashOf(text, day, SECOND);
      link(index);
    },
    each(text, day, visit) {
      const [one, two] = [hashOf(text, day, FIRST), hashOf(text, day, SECOND)];
      const { times, sides, modes, first, second, heads, before } = columns;
      for (let index = heads[one & (capacity - 1)] as number; index >= 0; index = before[index] as number) {
        if (first[index] !== one || second[index] !== two) continue;
        found.time = times[index] as number;
        found.side = sides[index] as number;
        found.mode = modes[index] as number;
        visit(index, found);
      }
    },
    get size() {
      return size;
    },
  };
}

function columnsOf(capacity: number) {
  return {
    times: new Float64Array(capacity),
    sides: new Int32Array(capacity),
    modes: new Int16Array(capacity),
    first: new Int32Array(capacity),
    second: new Int32Array(capacity),
    /** The last contact of each bucket, and of each contact the one before; -1 for none. */
    heads: new Int32Array(capacity).fill(-1),
    before: new Int32Array(capacity).fill(-1),
  };
}

const FIRST = 0x81_1c_9d_c5;
const SECOND = 0x2f_0b_44_47;

/** FNV-1a with another start for each hash, and mixed as MurmurHash does at its end. */
function hashOf(text: string, day: number, start: number): number {
  let hash = start ^ day;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) | 0;
}
