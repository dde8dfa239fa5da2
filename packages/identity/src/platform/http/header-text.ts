/** Texts of clients that answers carry in headers. */

/** Whether a header can carry the text as it is: printable ASCII. */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
