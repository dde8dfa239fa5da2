/** Reads federation documents: YAML, of which JSON is a part, with the place of each value for messages. */
import { Compile } from "typebox/compile";
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
} from "yaml";

import { schemaFault, type Schema } from "../platform/http/validation/schema-fault.js";
import { hasNul } from "../platform/text/text-length.js";
import { isYamlTooDeep } from "../platform/text/yaml-nesting.js";
import { FederationDocument } from "./document.js";
import { FederationDocumentError, type DocumentPath, type TextPlace } from "./document-errors.js";
import { isSecretReference } from "./secret-references.js";

/** A document and its text. */
export interface ReadDocument {
  readonly document: FederationDocument;
  readonly source: DocumentText;
}

/** Finds values in the text. */
export interface DocumentText {
  /** The place of a value, or of what should have it. */
  placeOf(path: DocumentPath): TextPlace;
}

export interface DocumentTextOptions {
  /** The name of the file in messages. */
  readonly file: string;
  /** The members of protocols' settings that are secrets. */
  readonly secretNames: ReadonlySet<string>;
}

/** Characters of a document. */
export const MAX_DOCUMENT_CHARACTERS = 16 << 20;

const validator = Compile(FederationDocument);

/** @throws {FederationDocumentError} Names the fault and its place. */
export function readDocument(text: string, { file, secretNames }: DocumentTextOptions): ReadDocument {
  const lines = new LineCounter();
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (text.length > MAX_DOCUMENT_CHARACTERS)
    throw new FederationDocumentError({
      path: [],
      place: undefined,
      reason: `${text.length} characters, expected at most ${MAX_DOCUMENT_CHARACTERS}`,
    });
  if (isYamlTooDeep(text))
    throw new FederationDocumentError({
      path: [],
      place: undefined,
      reason: "values are nested too deep: a federation document has few levels",
    });
  // Without excerpts of the text, which may have a secret that does not belong there.
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [problem] = [...tree.errors, ...tree.warnings];
  if (problem !== undefined)
    throw new FederationDocumentError({ path: [], place: placeAt(problem.pos[0]), reason: problem.message });
  const source: DocumentText = { placeOf: (path) => placeAt(offsetOf(tree, path)) };
  const fail = (path: DocumentPath, reason: string): never => {
    throw new FederationDocumentError({ path, place: source.placeOf(path), reason });
  };
  const value = valueOf(tree, fail);
  if (isDeeperThan(MAX_DEPTH, value))
    fail([], "values are nested too deep, or an alias is within its own anchor");
  // First, so that no later message quotes a secret.
  const secret = literalSecret(value, secretNames);
  if (secret !== undefined)
    fail(
      secret,
      "a secret is given by reference, expected { env: NAME } or { file: PATH }: the document has no secrets",
    );
  const unstorable = strangeValue(value);
  if (unstorable !== undefined) fail(unstorable.path, unstorable.reason);
  if (!validator.Check(value)) {
    const fault = schemaFault(FederationDocument as unknown as Schema, value);
    fail(fault?.path ?? [], fault?.reason ?? "the document does not fit its schema");
  }
  return { document: value as FederationDocument, source };
}

/** Levels of a value, with those that aliases add. */
const MAX_DEPTH = 100;

/** Ends also where a value contains itself. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function valueOf(tree: Document.Parsed, fail: (path: DocumentPath, reason: string) => never): unknown {
  try {
    return (
      tree.toJS({ maxAliasCount: 1000 }) ??
      fail([], 'the document is empty, expected "version: 1" and sections')
    );
  } catch (error) {
    if (error instanceof FederationDocumentError) throw error;
    // Such as an alias without an anchor, or too many aliases.
    return fail([], (error as Error).message);
  }
}

/** The offset of the value, or of the closest one around it that is in the text. */
function offsetOf(tree: Document.Parsed, path: DocumentPath): number {
  let node: unknown = tree.contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(tree);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      node = pair?.value;
      offset = startOf(node) ?? startOf(pair?.key) ?? offset;
    } else if (isSeq(node) && typeof part === "number") {
      node = node.items[part];
      if (isPair(node)) node = node.value;
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Where a member that is a secret by its name has a value instead of a reference. */
function literalSecret(value: unknown, names: ReadonlySet<string>): DocumentPath | undefined {
  return firstIn(value, (member, path) => {
    const name = path.at(-1);
    if (typeof name !== "string" || !names.has(name) || path[0] !== "identity_providers") return false;
    return member !== null && !isSecretReference(member);
  });
}

function strangeValue(value: unknown): { readonly path: DocumentPath; readonly reason: string } | undefined {
  const path = firstIn(value, (member) => {
    if (typeof member === "number") return !Number.isFinite(member);
    return (typeof member === "string" && hasNul(member)) || typeof member === "bigint";
  });
  return (
    path && {
      path,
      reason: "expected a text without U+0000, a finite number, true, false, null, a list or a map",
    }
  );
}

/** The path of the first value, from the outside in, for which a condition holds. */
function firstIn(
  value: unknown,
  isWanted: (value: unknown, path: DocumentPath) => boolean,
  path: DocumentPath = [],
): DocumentPath | undefined {
  if (isWanted(value, path)) return path;
  if (typeof value !== "object" || value === null) return undefined;
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of members) {
    const found = firstIn(member, isWanted, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
