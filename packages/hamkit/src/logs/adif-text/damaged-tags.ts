/** Damaged tags of .adi text: without a usable length, or without a character; and other text between fields. */

/** Text between two fields, or between two records, that may have been a field. */
export interface GapDamage {
  readonly rule:
    | "colon-missing"
    | "length-missing"
    | "length-negative"
    | "length-not-a-number"
    | "text-in-record"
    | "tag-damaged";
  /** In upper case, of a tag without a usable length. */
  readonly name?: string;
  /** The text behind that tag, or the text itself. */
  readonly text: string;
  /** Index in the gap. */
  readonly index: number;
}

/** A tag without a usable length, and the text behind it. Blanks are matched once, so that it takes linear time. */
const LENGTHLESS_TAG = /<\s*([A-Z_][A-Z_\d]*)\s*(?::([^<>]*))?>([^<]*)/gi;
/** What is left of a tag that lost a character: `CALL:4>`, `<CALL:4`, `EOR>`, `<EOR`. */
const PIECE_OF_TAG = /:\d+(?::[A-Z])?>|<[A-Z_]+:\d|\bEO[HR]>|<\s*(?:EO[HR]\b|APP_)/i;
/** Programs' own marks, such as LoTW's `<APP_LOTW_EOF>`, and HTML around a log. */
const OTHER_NAME = /^(?:APP_.*|ADX|HTML|BODY|HEAD|PRE|P|BR)$/;

/** A comment of LoTW's reports, up to the end of the line. */
const REMARK = /\/\/[^\r\n]*/g;

/**
 * What a gap lost. Text between two records is a comment; within a record it may be the rest of a value.
 *
 * @param isRest Whether it is the rest of a value whose wrong length was reported.
 */
export function gapDamage(gap: string, isInRecord: boolean, isRest: boolean): readonly GapDamage[] {
  const found: GapDamage[] = [];
  // The rest of a value, or a comment.
  if ((isRest || !isInRecord) && !/[<>]/.test(gap)) return found;
  const rest = gap.replaceAll(
    LENGTHLESS_TAG,
    (whole, tag: string, length: string | undefined, text: string, index: number) => {
      const name = tag.toUpperCase();
      if (name === "EOR" || name === "EOH") return whole;
      if (OTHER_NAME.test(name)) return name.startsWith("APP_") && text.trim() !== "" ? whole : "";
      found.push({ rule: lengthRule(length?.trim()), name, text, index });
      return "";
    },
  );
  const text = isRest ? "" : rest.replaceAll(REMARK, "").trim();
  const isPiece = PIECE_OF_TAG.test(text);
  if (isPiece || (isInRecord && text !== ""))
    found.push({
      rule: isPiece ? "tag-damaged" : "text-in-record",
      text,
      index: gap.length - gap.trimStart().length,
    });
  return found;
}

/** What is wrong with the length of a tag: nothing behind the colon, a negative number, other text. */
function lengthRule(length: string | undefined): GapDamage["rule"] {
  if (length === undefined) return "colon-missing";
  if (length === "") return "length-missing";
  return /^-\s*\d/.test(length) ? "length-negative" : "length-not-a-number";
}
