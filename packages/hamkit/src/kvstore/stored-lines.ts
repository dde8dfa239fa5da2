/** Records as they lie together in a field of a hash: a line each, number, blank, JSON. JSON has no line ends of its own. */
import type { StoredText } from "./key-value-store.js";

export function writeLine({ id, text = "" }: StoredText): string {
  return `${id} ${text}`;
}

/** The records in the text of a field; none where there is no such field. */
export function readLines(text: string | undefined): StoredText[] {
  if (text === undefined) return [];
  return text.split("\n").map((line) => {
    const blank = line.indexOf(" ");
    return { id: line.slice(0, blank), text: line.slice(blank + 1) };
  });
}

/** Whether a text is the number of a record. */
export function isNumber(id: string): boolean {
  return /^\d{1,15}$/.test(id);
}
