/**
 * Reads comma-separated values (RFC 4180) piece by piece.
 *
 * A quote is special only at the begin of a field: lists have names such as `Camp "Wildcat"` without quotes around them.
 */

/** Reads the rows of a text that arrives in pieces. */
export interface CsvScanner {
  /** The rows that are complete with this piece. */
  write(piece: string): string[][];
  /** The rows that remain when the text ends. */
  end(): string[][];
}

/** Longest row in characters: the longest of the real lists have 10,000. */
export const MAX_ROW_LENGTH = 65_536;

/** A scanner; `onLongRow` throws when a row exceeds {@link MAX_ROW_LENGTH}. */
export function createCsvScanner(onLongRow: () => never): CsvScanner {
  let rest = "";
  return {
    write(piece) {
      rest += piece;
      return take(false);
    },
    end: () => take(true),
  };

  function take(isEnd: boolean): string[][] {
    const { rows, end } = readRows(rest, isEnd);
    rest = rest.slice(end);
    if (rest.length > MAX_ROW_LENGTH || rows.some((row) => row.length > MAX_FIELDS)) onLongRow();
    return rows;
  }
}

const MAX_FIELDS = 1000;

const QUOTE = 34;

/** The complete rows, and where the incomplete one begins. */
function readRows(text: string, isEnd: boolean): { rows: string[][]; end: number } {
  const rows: string[][] = [];
  let end = 0;
  let row: string[] = [];
  // Searched once, so that a text without commas is not scanned again for each line.
  let comma = -1;
  let newline = -1;
  for (let at = 0; at < text.length;) {
    const quoted = text.charCodeAt(at) === QUOTE ? closingQuote(text, at + 1, isEnd) : undefined;
    if (quoted === Infinity) break; // incomplete
    const from = quoted ?? at;
    if (comma < from) comma = indexOrEnd(text, ",", from);
    if (newline < from) newline = indexOrEnd(text, "\n", from);
    const stop = Math.min(comma, newline);
    if (stop === text.length && !isEnd) break;
    row.push(quoted === undefined ? text.slice(at, stop) : unquoted(text.slice(at, stop)));
    at = stop + 1;
    const isLastComma = isEnd && at === text.length;
    if (stop === comma && stop < text.length && !isLastComma) continue;
    if (stop === comma && isLastComma) row.push("");
    rows.push(withoutCarriageReturn(row));
    row = [];
    end = at;
  }
  return { rows, end: isEnd ? text.length : end };
}

/** The index after the quote that closes a field; `Infinity` if it may still come. */
function closingQuote(text: string, from: number, isEnd: boolean): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  // A quote at the end of the piece may be the first one of a pair.
  const isOpen = at < 0 || at === text.length - 1;
  if (!isOpen) return at + 1;
  return isEnd ? text.length : Infinity;
}

/** The content of a field between quotes; what follows the closing quote is kept. */
function unquoted(field: string): string {
  const text = field.endsWith("\r") ? field.slice(0, -1) : field;
  const inner = text.endsWith('"') ? text.slice(1, -1) : text.slice(1);
  return inner.replaceAll('""', '"');
}

function withoutCarriageReturn(row: string[]): string[] {
  const last = row.at(-1);
  return last?.endsWith("\r") === true ? [...row.slice(0, -1), last.slice(0, -1)] : row;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}
