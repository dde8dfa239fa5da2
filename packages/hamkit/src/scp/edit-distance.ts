/**
 * Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of adjacent characters.
 *
 * The unrestricted variant: characters may be adjacent before or after other edits ("CA" and "ABC" have the distance 2:
 * transpose, then insert), which makes it a metric.
 *
 * @see R. Lowrance, R. A. Wagner, "An extension of the string-to-string correction problem", JACM 22 (1975).
 */

/** The distance of two texts; any number above `max` if it exceeds `max`. */
export function editDistance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return max + 1;
  // A common prefix and suffix do not contribute.
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
  if (max === 1) return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0] ? 1 : 2;
  return distanceByTable(a, b);
}

/** The distance by dynamic programming over the prefixes of both texts. */
function distanceByTable(a: string, b: string): number {
  const width = b.length + 1;
  const table = Array.from({ length: (a.length + 1) * width }, (_, cell) =>
    cell < width ? cell : Math.floor(cell / width),
  );
  const at = (i: number, j: number): number => table[i * width + j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1);
      // A transposition of the two characters, and the edits between them.
      const k = lastBefore(a, b[j - 1], i - 1);
      const l = lastBefore(b, a[i - 1], j - 1);
      if (k > 0 && l > 0) least = Math.min(least, at(k - 1, l - 1) + (i - k) + (j - l) - 1);
      table[i * width + j] = least;
    }
  }
  return at(a.length, b.length);
}

/** The last position of a character within the first `length` ones, from 1; 0 for none. */
function lastBefore(text: string, character: string | undefined, length: number): number {
  for (let place = length; place > 0; place--) if (text[place - 1] === character) return place;
  return 0;
}
