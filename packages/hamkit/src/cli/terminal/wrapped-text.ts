/** Text in lines of the terminal's width. */
import type { Session } from "../session.js";

/** The longest line where the terminal's width is not known. */
const WIDTH = 80;
const INDENT = "  ";

/** A label and words, on lines of the terminal's width that are indented below the label. */
export function wrapped(label: string, text: string, { io }: Session): string[] {
  const width = Math.max(40, io.stdout.columns ?? WIDTH);
  const indent = " ".repeat((/^ */.exec(label)?.[0].length ?? 0) + (label === "" ? 0 : INDENT.length));
  const lines: string[] = [];
  let line = label;
  for (const word of text.split(" ")) {
    if (word === "") continue;
    if (line.trim() !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = indent + word;
    } else line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
