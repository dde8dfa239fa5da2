/** Texts that clients choose, and how long they may be. */
import { InvalidError } from "../errors.js";

/** A text is longer than what is stored of it. */
export class TextLengthError extends InvalidError {
  override readonly name = "TextLengthError";
  override readonly code = "request/text-too-long";

  constructor(text: string, { column, length }: { readonly column: string; readonly length: number }) {
    super(
      `String length exceeded. The length of string '${text}' exceeds the limit of column ${column}(CHAR(${length})).`,
    );
  }
}

/** @throws {TextLengthError} It has more characters. */
export function checkTextLength(
  text: string,
  limit: { readonly column: string; readonly length: number },
): void {
  // What looks like two characters to JavaScript is one to everybody else.
  if (text.length > limit.length && Array.from(text).length > limit.length)
    throw new TextLengthError(text, limit);
}

/**
 * An id that a client chooses may hold whatever can stand in an address.
 *
 * @throws {TextLengthError} It has more than 64 characters.
 */
export function checkChosenId(id: string): void {
  checkTextLength(id, { column: "id", length: 64 });
}
