/** Line numbers of ascending indexes. */

/** The line of an index, from 1. Indexes must be passed in ascending order. */
export type LineCounter = (index: number) => number;

export function createLineCounter(text: string): LineCounter {
  let line = 1;
  let next = text.indexOf("\n");
  return (index) => {
    while (next >= 0 && next < index) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}
