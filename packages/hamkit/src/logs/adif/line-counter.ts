/** Numbers of lines, for places that are asked for from the first to the last. */

/** The line of an index, from 1. The index must not be before the one asked for last. */
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
