/** Length limits of text chosen by clients. */
import { errorClass, InvalidError } from "../errors.js";

/** A text exceeds the column's length. */
export class TextLengthError extends errorClass(
  InvalidError,
  "request/text-too-long",
  (text: string, { column, length }: { readonly column: string; readonly length: number }) =>
    `String length exceeded. The length of string '${text}' exceeds the limit of column ${column}(CHAR(${length})).`,
) {}

/** @throws {TextLengthError} */
export function checkTextLength(
  text: string,
  limit: { readonly column: string; readonly length: number },
): void {
  // Code points count, not UTF-16 units.
  if (text.length > limit.length && Array.from(text).length > limit.length)
    throw new TextLengthError(text, limit);
}

/**
 * Checks an id chosen by a client. Any characters are allowed.
 *
 * @throws {TextLengthError} More than 64 characters.
 */
export function checkChosenId(id: string): void {
  checkTextLength(id, { column: "id", length: 64 });
}
