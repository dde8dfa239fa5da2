/** Tables as CSV (RFC 4180). */

/** A line with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * A spreadsheet would run text that begins as a formula: an apostrophe makes it text.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
