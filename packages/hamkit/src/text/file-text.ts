/** The text of data files, and numbers in it. */

/** A file's content as text; `undefined` where it is neither text nor bytes. */
export function decodeText(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  // Not instanceof: bytes may come from another window.
  return ArrayBuffer.isView(content) ? new TextDecoder().decode(content) : undefined;
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return lineEndsIn(text.slice(0, position)) + 1;
}

/** Files come with all three kinds of line end. */
export function lineEndsIn(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

/** The number in a text; `NaN`, which is no value of any field, where there is none. */
export function toNumber(text: string | undefined): number {
  const value = Number(text);
  // `Number` takes blanks for 0.
  return value === 0 && text?.trim() === "" ? Number.NaN : value;
}
