/** Escapes and truncates text for SVG, and estimates its width. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Replaces characters that can't be shown. */
const REPLACEMENT = "\uFFFD";

/**
 * Escapes text for the content of an element or the value of an attribute.
 *
 * XML allows no control characters, lone surrogates or noncharacters, not even escaped. Bidirectional formatting
 * characters would affect the text that follows, such as the figures of a caption.
 */
export function escapeText(text: string): string {
  return Array.from(text, (char) => ESCAPES[char] ?? visible(char)).join("");
}

/** The text on one line with white space collapsed, truncated to a number of characters. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  const characters = Array.from(line.slice(0, 2 * maxLength)); // a character may take two UTF-16 units
  if (characters.length <= maxLength && line.length <= 2 * maxLength) return line;
  return `${characters
    .slice(0, maxLength - 1)
    .join("")
    .trimEnd()}…`;
}

/** The text truncated to a width, with an ellipsis. */
export function shorten(text: string, maxWidth: number, fontSize: number): string {
  if (textWidth(text, fontSize) <= maxWidth) return text;
  const room = maxWidth - textWidth("…", fontSize);
  let kept = "";
  for (const char of text) {
    if (textWidth(kept + char, fontSize) > room) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Estimated width of a text in a bold system font; an upper estimate.
 *
 * The viewer's font is unknown: the widths are those of DejaVu Sans Bold, the widest of the common fonts.
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

/** The character, or a visible substitute. */
function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === "\n" || char === "\t") return char;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code); // Unicode block Control Pictures
  if (code === 0x7f) return "\u2421";
  return isUnprintable(code) ? REPLACEMENT : char;
}

function isUnprintable(code: number): boolean {
  const isControl = code >= 0x80 && code < 0xa0;
  const isSurrogate = code >= 0xd800 && code < 0xe000;
  const isNoncharacter = (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
  const isBidirectional = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isControl || isSurrogate || isNoncharacter || isBidirectional;
}
