/** Text of XML for scanners that are faster than a parser, and leave to it what is unusual. */

/** What is no character of XML, half of a surrogate pair, or an end of CDATA: the parser decides. */
const UNUSUAL = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]|\]\]>/;

/** Whether a text has characters that may not be in XML. Pairs of surrogates, which may, are unusual too. */
export function isUnusualXml(text: string): boolean {
  return UNUSUAL.test(text);
}

const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Replaces the five predefined entities of XML and character references; `undefined` for a text with other references. */
export function unescapeXml(text: string): string | undefined {
  if (!text.includes("&")) return text;
  let isKnown = true;
  const plain = text.replaceAll(
    /&(?:#x([0-9A-Fa-f]{1,6});|#([0-9]{1,7});|([a-z]+);)?/g,
    (whole, hex?: string, decimal?: string, name?: string) => {
      const character =
        name === undefined
          ? characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
          : XML_ENTITIES.get(name);
      isKnown &&= character !== undefined;
      return character ?? whole;
    },
  );
  return isKnown ? plain : undefined;
}

/** The character of a code; `undefined` for a code that XML does not allow, and for `NaN`. */
function characterOf(code: number): string | undefined {
  const isAllowed =
    [0x9, 0xa, 0xd].includes(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return isAllowed ? String.fromCodePoint(code) : undefined;
}
