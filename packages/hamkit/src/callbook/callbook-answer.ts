/** The XML that callbooks answer with: a root element, sections in it, and in these elements with a text each. */
import { SaxesParser } from "saxes";

/** The texts of a section by the names of their elements. Names are in small letters, and no text is empty. */
export type Elements = ReadonlyMap<string, string>;

/** The sections of an answer by their names, in small letters. */
export type Answer = ReadonlyMap<string, Elements>;

/** What is wrong with an answer; the cause of the error that callers see. */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault";
}

/** The entities that XML has by itself. The parser's own list would take `&toString;` for another one. */
const ENTITIES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  amp: "&",
  gt: ">",
  lt: "<",
  quot: '"',
  apos: "'",
});

/**
 * Reads an answer. Of sections and elements of one name the first counts; what lies deeper is not looked at.
 *
 * @param root The root element's name, in small letters.
 * @throws {AnswerFault} The content is no XML, not all of it, has another root, or a document type.
 */
export function readAnswer(content: Uint8Array, root: string): Answer {
  const text = new TextDecoder().decode(content).trimStart();
  if (text === "") throw new AnswerFault("it is empty");
  const sections = new Map<string, Map<string, string>>();
  // The names of the open elements, from the root on, and the text of the one on the third level.
  const path: string[] = [];
  let found = "";

  const parser = new SaxesParser({ xmlns: true });
  parser.ENTITIES = ENTITIES;
  parser.on("error", ({ message }) => {
    throw new AnswerFault(`it is no XML: ${message}`);
  });
  parser.on("doctype", () => {
    throw new AnswerFault("it has a document type, which may define anything");
  });
  parser.on("opentag", ({ local }) => {
    path.push(local.toLowerCase());
    if (path[0] !== root) throw new AnswerFault(`its root element is another one than ${root}`);
    found = "";
  });
  const take = (more: string): void => {
    if (path.length === 3) found += more;
  };
  parser.on("text", take);
  parser.on("cdata", take);
  parser.on("closetag", () => {
    if (path.length === 3) add(sections, path, found.trim());
    else if (path.length === 2) sectionOf(sections, path);
    path.pop();
  });
  parser.write(text).close();
  return sections;
}

function add(sections: Map<string, Map<string, string>>, path: readonly string[], text: string): void {
  const section = sectionOf(sections, path);
  const name = path[2] ?? "";
  if (text !== "" && !section.has(name)) section.set(name, text);
}

function sectionOf(
  sections: Map<string, Map<string, string>>,
  [, name = ""]: readonly string[],
): Map<string, string> {
  const section = sections.get(name) ?? new Map<string, string>();
  sections.set(name, section);
  return section;
}
