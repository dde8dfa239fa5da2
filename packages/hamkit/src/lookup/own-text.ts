/** From so many characters on, a part of a text may be kept by engines as a reference into the whole. */
const SLICED = 13;

/** The same text, keeping no larger one alive of which it may be a part: a file would stay in memory with its first name. */
export function ownText(text: string): string {
  return text.length < SLICED ? text : Array.from(text).join("");
}
