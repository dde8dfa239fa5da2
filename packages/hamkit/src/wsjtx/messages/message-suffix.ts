/** What programs add to a decoded text: the mark of low confidence, and how it was decoded. */

/**
 * `a1` to `a8`: prior knowledge; `q35`, `q0*`: averages of Q65; `f`, `f2`, `dC2`: averages of JT4 and JT65. They are in lower
 * case, which no message has.
 */
const DECODER_MARK = /\s(a\d\d?|q\d[\d*]?|f\d?|d\S\d)$/;

/** Two blanks or more before it: a free text can end with a question mark after one. */
const LOW_CONFIDENCE = /\s\s\?$/;

export interface TextWithFlags {
  readonly text: string;
  readonly flags: readonly string[];
}

/** The text without additions, and their names. */
export function splitFlags(message: string): TextWithFlags {
  let text = message.trim();
  const flags: string[] = [];
  const mark = DECODER_MARK.exec(text)?.[1];
  if (mark !== undefined) {
    text = text.slice(0, -mark.length).trimEnd();
    flags.push(mark.startsWith("a") ? `ap${mark.slice(1)}` : mark);
  }
  if (LOW_CONFIDENCE.test(text)) {
    text = text.slice(0, -1).trimEnd();
    flags.unshift("lowConfidence");
  }
  return { text, flags };
}
