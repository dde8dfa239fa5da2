/**
 * How many changes turn one text into another: characters inserted, deleted, replaced, or two neighbors swapped.
 *
 * Neighbors may have been neighbors before or after other changes ("CA" and "ABC" differ by two: swap, then insert), so
 * that this is a true distance.
 *
 * @see R. Lowrance, R. A. Wagner, "An extension of the string-to-string correction problem", JACM 22 (1975).
 */

/** The number of changes, or some number above `most` where there are more. */
export function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  // What both begin and end with needs no change.
  let start = 0;
  while (start < from.length && start < to.length && from.charCodeAt(start) === to.charCodeAt(start)) start++;
  let end1 = from.length;
  let end2 = to.length;
  while (end1 > start && end2 > start && from.charCodeAt(end1 - 1) === to.charCodeAt(end2 - 1)) {
    end1--;
    end2--;
  }
  const a = from.slice(start, end1);
  const b = to.slice(start, end2);
  if (a === "" || b === "") return a.length + b.length;
  if (a.length === 1 && b.length === 1) return 1;
  if (most === 1) return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0] ? 1 : 2;
  return changes(a, b);
}

/** The least number of changes from every beginning of `a` to every beginning of `b`, up to the whole texts. */
function changes(a: string, b: string): number {
  const width = b.length + 1;
  const table = Array.from({ length: (a.length + 1) * width }, (_, cell) =>
    cell < width ? cell : Math.floor(cell / width),
  );
  const at = (i: number, j: number): number => table[i * width + j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1);
      // The last places where the two characters stand the other way round, and what lies between them.
      const k = lastBefore(a, b[j - 1], i - 1);
      const l = lastBefore(b, a[i - 1], j - 1);
      if (k > 0 && l > 0) least = Math.min(least, at(k - 1, l - 1) + (i - k) + (j - l) - 1);
      table[i * width + j] = least;
    }
  }
  return at(a.length, b.length);
}

/** The last place of a character within the first `length` ones, counted from 1; 0 for none. */
function lastBefore(text: string, character: string | undefined, length: number): number {
  for (let place = length; place > 0; place--) if (text[place - 1] === character) return place;
  return 0;
}
