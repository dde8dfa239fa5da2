/** Decodes the text of data files, counts lines, and parses numbers. */

/** A file's content as text; `undefined` if it is neither text nor bytes. */
export function decodeText(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  // Not instanceof: bytes may come from another realm.
  return ArrayBuffer.isView(content) ? new TextDecoder().decode(content) : undefined;
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return lineEndsIn(text.slice(0, position)) + 1;
}

/** The number of line ends: CR LF, CR or LF. */
export function lineEndsIn(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

/** The number in a text; `NaN` if it is not a number. */
export function toNumber(text: string | undefined): number {
  const value = Number(text);
  // `Number` converts blank text to 0.
  return value === 0 && text?.trim() === "" ? Number.NaN : value;
}
