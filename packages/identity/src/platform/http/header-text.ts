/** Text in response headers. */

/** Whether a header can contain the text: printable ASCII. */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
