/** Text that comes from outside: how it gets into an SVG document, and about how wide it will be. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Stands for what can't be shown. */
const REPLACEMENT = "\uFFFD";

/**
 * The text as content of an element or value of an attribute.
 *
 * XML has no place for control characters, half surrogates and noncharacters, not even in escaped form. Marks that
 * turn the direction of writing would reach beyond their text, into a caption's figures.
 */
export function escapeText(text: string): string {
  return Array.from(text, (char) => ESCAPES[char] ?? visible(char)).join("");
}

/** The text on one line, every stretch of blanks and line breaks one blank, and no longer than so many characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const characters = Array.from(line.slice(0, 2 * most)); // some take two units
  if (characters.length <= most && line.length <= 2 * most) return line;
  return `${characters
    .slice(0, most - 1)
    .join("")
    .trimEnd()}…`;
}

/** The text, cut where it would become wider than this, with an ellipsis for the rest. */
export function shorten(text: string, widest: number, fontSize: number): string {
  if (textWidth(text, fontSize) <= widest) return text;
  const room = widest - textWidth("…", fontSize);
  let kept = "";
  for (const char of text) {
    if (textWidth(kept + char, fontSize) > room) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * About how wide a text is in bold letters of a system font, rather too wide than too narrow.
 *
 * No font can be asked where there is no screen, and none is known: the figures are those of DejaVu Sans Bold, the
 * widest of the usual ones.
 */
export function textWidth(text: string, fontSize: number): number {
  let width = 0;
  for (const char of text) width += widthOf(char);
  return width * fontSize;
}

const WIDTHS: readonly (readonly [RegExp, width: number])[] = [
  [/[ijlI.,:;'|!]/, 0.4],
  [/[ frt()[\]/\-°·]/, 0.5],
  [/[MW@%…→—]/, 1.11],
  [/[mw&+<>=]/, 1.05],
  [/[a-z\d]/, 0.72],
  [/[ -~]/, 0.87],
  [/\p{M}|\p{Cf}/u, 0],
  [/[\u{1F000}-\u{1FAFF}]/u, 1.4],
  [/[\u{1100}-\u{11FF}\u{2E80}-\u{D7FF}\u{F900}-\u{FFEF}\u{20000}-\u{3FFFF}]/u, 1.05],
];

function widthOf(char: string): number {
  return WIDTHS.find(([chars]) => chars.test(char))?.[1] ?? 0.9;
}

/** The character, or one that shows that it was there. */
function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === "\n" || char === "\t") return char;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code); // Unicode's pictures of control characters
  if (code === 0x7f) return "\u2421";
  return isUnprintable(code) ? REPLACEMENT : char;
}

function isUnprintable(code: number): boolean {
  const isControl = code >= 0x80 && code < 0xa0;
  const isHalfSurrogate = code >= 0xd800 && code < 0xe000;
  const isNoncharacter = (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
  const turnsDirection = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isControl || isHalfSurrogate || isNoncharacter || turnsDirection;
}
