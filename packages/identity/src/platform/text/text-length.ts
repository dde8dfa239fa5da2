/** Text from clients: its length, and U+0000 in it. */
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

/**
 * Whether a string, or any string within lists and objects (member names included), contains U+0000. Not recursive. SQLite truncates
 * text there, so that `admin\0` would become `admin`, and PostgreSQL rejects it.
 */
export function hasNul(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && next.includes("\0")) return true;
    if (typeof next !== "object" || next === null) continue;
    // No spread into `push`: arguments take stack space.
    if (Array.isArray(next)) for (const member of next) rest.push(member);
    else for (const [name, member] of Object.entries(next)) rest.push(name, member);
  }
  return false;
}
