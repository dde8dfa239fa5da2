/** Reads the XML of callbooks: a root element with sections, which have elements with a text each. */
import { SaxesParser } from "saxes";

/** The texts of a section by the names of their elements. Names are in lower case, and no text is empty. */
export type Elements = ReadonlyMap<string, string>;

/** The sections of a response by their names, in lower case. */
export type CallbookResponse = ReadonlyMap<string, Elements>;

/** The reason why a response is unusable; the cause of the error that callers get. */
export class ResponseFault extends Error {
  override readonly name = "ResponseFault";
}

/** The predefined entities of XML, without a prototype: the parser's own object would resolve `&toString;`. */
const ENTITIES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  amp: "&",
  gt: ">",
  lt: "<",
  quot: '"',
  apos: "'",
});

/**
 * Reads a response. Of sections and elements with the same name the first one is used; deeper elements are ignored.
 *
 * @param root The root element's name, in lower case.
 * @throws {ResponseFault} The content is not complete XML, has another root, or a document type.
 */
export function readResponse(content: Uint8Array, root: string): CallbookResponse {
  const text = new TextDecoder().decode(content).trimStart();
  if (text === "") throw new ResponseFault("the response is empty");
  const sections = new Map<string, Map<string, string>>();
  // The names of the open elements from the root, and the text of the one on the third level.
  const path: string[] = [];
  let found = "";

  const parser = new SaxesParser({ xmlns: true });
  parser.ENTITIES = ENTITIES;
  parser.on("error", ({ message }) => {
    throw new ResponseFault(`invalid XML: ${message}`);
  });
  parser.on("doctype", () => {
    throw new ResponseFault("DOCTYPE is not allowed");
  });
  parser.on("opentag", ({ local }) => {
    path.push(local.toLowerCase());
    if (path[0] !== root) throw new ResponseFault(`root element is not ${root}`);
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
