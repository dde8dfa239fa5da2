/**
 * The audit ids of tokens that were revoked singly, 24 to 50 bytes each: a cloud whose users log out has hundreds of thousands of them.
 *
 * A hash table with open addressing. Audit ids are 16 random bytes in base64url; 60 of their bits are compared, so that one of 10^12
 * valid tokens is taken for one of a million revoked ones.
 */

/** Characters of an audit id. */
const ID_LENGTH = 22;
/** Characters of a half of the compared part: 30 bits. */
const HALF_LENGTH = 5;
const MIN_CAPACITY = 1024;
/** Of the capacity, before the table grows. */
const MAX_LOAD = 0.7;

/** The six bits of each character of base64url; 64 for other characters. */
const BITS = new Uint8Array(128).fill(64);
for (const [bits, character] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
).entries())
  BITS[character.charCodeAt(0)] = bits;

export interface RevokedAuditIds {
  /**
   * @param position The position of the revocation, above 0.
   * @returns `false` if the text is not an audit id of this form: it was not added.
   */
  add(auditId: string, position: number): boolean;
  has(auditId: string): boolean;
  /** Removes those up to a position. */
  prune(position: number): void;
  readonly size: number;
}

/** An empty table. */
export function createRevokedAuditIds(): RevokedAuditIds {
  let table = emptyTable(MIN_CAPACITY);

  /** Builds the table anew, of those behind a position. */
  function rebuild(capacity: number, prunedTo: number): void {
    const { halves, positions } = table;
    table = emptyTable(capacity);
    for (const [slot, position] of positions.entries())
      if (position > prunedTo) put(table, halves[2 * slot] ?? 0, halves[2 * slot + 1] ?? 0, position);
  }

  return {
    add(auditId, position) {
      const high = halfOf(auditId, 0);
      const low = halfOf(auditId, HALF_LENGTH);
      if (high === undefined || low === undefined) return false;
      put(table, high, low, position);
      const capacity = table.positions.length;
      if (table.size > capacity * MAX_LOAD) rebuild(capacity * 2, 0);
      return true;
    },
    has(auditId) {
      const high = halfOf(auditId, 0);
      const low = halfOf(auditId, HALF_LENGTH);
      return high !== undefined && low !== undefined && table.positions[slotOf(table, high, low)] !== 0;
    },
    prune(position) {
      const kept = table.positions.reduce((count, each) => (each > position ? count + 1 : count), 0);
      if (kept === table.size) return;
      let capacity = MIN_CAPACITY;
      while (kept > capacity * MAX_LOAD) capacity *= 2;
      rebuild(capacity, position);
    },
    get size() {
      return table.size;
    },
  };
}

interface Table {
  /** Two for each slot. */
  readonly halves: Uint32Array;
  /** 0 where a slot is free. */
  readonly positions: Float64Array;
  size: number;
}

function emptyTable(capacity: number): Table {
  return { halves: new Uint32Array(2 * capacity), positions: new Float64Array(capacity), size: 0 };
}

function put(table: Table, high: number, low: number, position: number): void {
  const slot = slotOf(table, high, low);
  if (table.positions[slot] === 0) table.size++;
  table.halves[2 * slot] = high;
  table.halves[2 * slot + 1] = low;
  table.positions[slot] = Math.max(position, table.positions[slot] ?? 0);
}

/** The slot of an id, or the free one where it belongs. */
function slotOf({ halves, positions }: Table, high: number, low: number): number {
  const mask = positions.length - 1;
  let slot = low & mask;
  while (positions[slot] !== 0 && (halves[2 * slot] !== high || halves[2 * slot + 1] !== low))
    slot = (slot + 1) & mask;
  return slot;
}

/** 30 bits of an audit id; `undefined` if it has another form. */
function halfOf(auditId: string, start: number): number | undefined {
  if (auditId.length !== ID_LENGTH) return undefined;
  let half = 0;
  for (let index = start; index < start + HALF_LENGTH; index++) {
    const bits = BITS[auditId.charCodeAt(index)] ?? 64;
    if (bits === 64) return undefined;
    half = (half << 6) | bits;
  }
  return half;
}
