/**
 * Complete calls in one sorted text, found by binary search. Loading only finds the blanks, where a map would make a string
 * and an entry of each call. Of twenty thousand calls one is found in 15 steps, as fast as in a map.
 */

export interface PackedCalls {
  readonly size: number;
  /** The index of a call in the order of all; -1 for none. */
  indexOf(call: string): number;
  /** All calls, in the order of their characters. */
  calls(): readonly string[];
}

const BLANK = 32;

/** @param text Calls in the order of their characters, separated by single blanks. */
export function createPackedCalls(text: string): PackedCalls {
  const starts = startsIn(text);
  return {
    size: starts.length,
    indexOf(call) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const order = compareAt(text, starts[middle] ?? 0, call);
        if (order === 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
      }
      return -1;
    },
    calls: () => (text === "" ? [] : text.split(" ")),
  };
}

function startsIn(text: string): Int32Array {
  const starts = new Int32Array(text.length + 1);
  let count = 0;
  for (let start = 0; start < text.length; count++) {
    starts[count] = start;
    const end = text.indexOf(" ", start);
    start = end < 0 ? text.length : end + 1;
  }
  return starts.slice(0, count);
}

/** Below 0 where the call in the text comes before the other, above 0 where it comes after, 0 for the same. */
function compareAt(text: string, start: number, call: string): number {
  for (let index = 0; index < call.length; index++) {
    // NaN, past the end of the text, is no blank, but sorts as one.
    const here = text.charCodeAt(start + index) || BLANK;
    const difference = here - call.charCodeAt(index);
    if (difference !== 0) return difference;
  }
  const after = start + call.length;
  return after === text.length || text.charCodeAt(after) === BLANK ? 0 : 1;
}
