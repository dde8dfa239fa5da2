/**
 * Parses XML documents, with what all of them have in common: only well-formed text passes, XML's own entities are the only ones,
 * and nothing that a document names is loaded.
 */
import { SaxesParser } from "saxes";

import { lineEndsIn } from "./file-text.js";

/** Why a document is not read. */
export class XmlFault extends Error {
  override readonly name = "XmlFault";
  readonly kind: "doctype" | "malformed";
  /** From 1. */
  readonly line: number;

  constructor(kind: XmlFault["kind"], line: number, message: string) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

/** A start tag. */
export interface XmlTag {
  /** Without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, { readonly value: string }>>;
  readonly line: number;
}

/** The files have at most six levels; the parser takes time by depth for each element. */
const MAX_DEPTH = 40;

/** Receives the parts of a document in their order. */
export interface XmlHandlers {
  readonly open: (tag: XmlTag) => void;
  /** A piece of text, or of CDATA. */
  readonly text: (piece: string) => void;
  readonly close: () => void;
}

/**
 * Parses a document, which blank lines may precede.
 *
 * @param allows `doctype`: a document type is skipped, with the entities that it declares.
 * @throws {XmlFault} The text is not well-formed, has a document type, or elements nested too deeply.
 */
export function parseXml(
  text: string,
  { open, text: take, close }: XmlHandlers,
  allows: { readonly doctype?: boolean } = {},
): void {
  const document = text.replace(/^[ \t\r\n]+/, "");
  const linesBefore = lineEndsIn(text.slice(0, text.length - document.length));
  const parser = new SaxesParser({ xmlns: true });
  // Without a prototype: the parser's own object would resolve `&toString;`.
  parser.ENTITIES = Object.assign(Object.create(null), { amp: "&", gt: ">", lt: "<", quot: '"', apos: "'" });
  const line = (): number => parser.line + linesBefore;
  const fail = (kind: XmlFault["kind"], message: string): never => {
    throw new XmlFault(kind, line(), message);
  };
  let depth = 0;
  // The parser's message begins with line and column.
  parser.on("error", ({ message }) =>
    fail("malformed", message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")),
  );
  if (allows.doctype !== true) parser.on("doctype", () => fail("doctype", "DOCTYPE is not allowed"));
  parser.on("opentag", ({ local, attributes }) => {
    if (++depth > MAX_DEPTH) fail("malformed", `elements are nested deeper than ${MAX_DEPTH} levels`);
    open({ name: local, attributes, line: line() });
  });
  parser.on("text", take);
  parser.on("cdata", take);
  parser.on("closetag", () => {
    depth--;
    close();
  });
  parser.write(document).close();
}
