/** Splits text into lines, with their line endings, so that it can be put together again. */

/** A line of a text. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  /** Without its ending. */
  readonly text: string;
  /** CR LF, LF or CR; "" for a last line without one. */
  readonly ending: string;
}

/** The lines of a text; none for an empty one. */
export function* textLines(text: string): Generator<TextLine> {
  let start = 0;
  let number = 1;
  for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) {
    yield { number: number++, text: text.slice(start, index), ending };
    start = index + ending.length;
  }
  if (start < text.length) yield { number, text: text.slice(start), ending: "" };
}

/** White space before and after the content of a line. */
export function marginsOf(line: string): readonly [before: string, after: string] {
  return [line.slice(0, line.length - line.trimStart().length), line.slice(line.trimEnd().length)];
}
