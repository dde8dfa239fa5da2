/**
 * Reads metadata aggregates of whole federations, such as eduGAIN's, as a stream: the signature is verified over all of it, and the
 * wanted entities are read, each as a small document of its own. Memory does not grow with the aggregate.
 *
 * Everything that is read is the canonical text that the digest was computed of; nothing is returned before the digest is verified.
 */
import { createHash, type Hash } from "node:crypto";

import { SaxesParser } from "saxes";

import { quoted } from "../../../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../../../saml/saml-names.js";
import {
  readEnvelopedSignature,
  SignatureError,
  trustedSigners,
  type EnvelopedSignature,
  type SignatureTrust,
} from "../signed-element.js";
import { readMetadataXml, XmlError } from "../xml-reading.js";
import { keptProviders } from "./kept-providers.js";
import { createEntityIndex, type EntityIndex, type ListedEntity } from "./entity-index.js";
import { readProviderMetadata, type ProviderMetadata } from "./provider-metadata.js";
import { attribute, canonicalText, createCanonicalWriter, type OpenTag } from "./canonical-writer.js";

/** Bytes of an aggregate. eduGAIN's has 80 million. */
export const MAX_AGGREGATE_BYTES = 256 << 20;
/** Characters of one entity, of the signature, and of what the parser holds back: of a text, or of a tag. */
const MAX_PART_CHARACTERS = 1 << 20;
/** Entities of one provider. eduGAIN has some 6,000 identity providers. */
export const MAX_ENTITIES = 10_000;
const MAX_DEPTH = 64;
/** Characters that are parsed, or digested, at once. */
const PIECE_CHARACTERS = 65_536;
/** Ids of elements, which are unique. */
const MAX_IDS = 1_000_000;

/** What an aggregate is read for. Structured-cloneable. */
export interface AggregateTask {
  /** The wanted entities. */
  readonly entityIds: readonly string[];
  /** The trusted signers; any aggregate is accepted if left out. */
  readonly trust?: SignatureTrust | undefined;
  /** Whether all identity providers are listed, too. */
  readonly lists?: boolean;
}

const isMetadata = ({ uri, local }: OpenTag, name: string): boolean =>
  local === name && uri === NAMESPACES.metadata;
const isSignature = ({ uri, local }: OpenTag): boolean =>
  local === "Signature" && uri === NAMESPACES.signature;

/** The wanted identity providers of an aggregate. */
export interface AggregateProviders {
  readonly providers: readonly ProviderMetadata[];
  /** The text that keeps them. */
  readonly kept: string;
  /** All identity providers, if the task lists them. */
  readonly listed: readonly ListedEntity[];
}

/**
 * @throws {XmlError} Not well-formed, no aggregate, too large, or an entity is malformed or occurs twice.
 * @throws {SignatureError} No trusted signer has signed it.
 */
export async function readAggregateProviders(
  chunks: AsyncIterable<Uint8Array>,
  { entityIds, trust, lists }: AggregateTask,
): Promise<AggregateProviders> {
  const index = lists === true ? createEntityIndex() : undefined;
  const reader = createReader(new Set(entityIds), trust, index);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_AGGREGATE_BYTES) throw new XmlError(`more than ${MAX_AGGREGATE_BYTES} bytes`);
    reader.write(decoded(() => decoder.decode(chunk, { stream: true })));
  }
  reader.write(decoded(() => decoder.decode()));
  const providers = reader.end();
  return { providers, kept: keptProviders(providers), listed: index?.listed() ?? [] };
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new XmlError("the text is not UTF-8");
  }
}

/** The text of an element that is read: the signature, or a wanted entity. */
interface Part {
  text: string;
  /** Of the element. */
  readonly depth: number;
}

function createReader(
  wanted: ReadonlySet<string>,
  trust: SignatureTrust | undefined,
  index: EntityIndex | undefined,
) {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const found = new Map<string, ProviderMetadata>();
  const ids = new Set<string>();
  /** The open elements. */
  const around: OpenTag[] = [];
  /** The canonical form is known after the signature, the first child of the root. */
  let isWriting = false;
  /** Text in the root before that. */
  let held = "";
  let writer = createCanonicalWriter();
  let signed: { readonly signature: EnvelopedSignature; readonly digest: Hash } | undefined;
  let signaturePart: Part | undefined;
  let entity: (Part & { readonly entityId: string }) | undefined;
  let pending = 0;
  /** Text that the digest does not have yet. */
  let digested = "";

  const on = (work: () => void) => {
    pending = 0;
    work();
  };
  parser.on("error", ({ message }) => {
    throw new XmlError(`XML is not well-formed: ${message.slice(0, 200)}`);
  });
  parser.on("doctype", refuse);
  parser.on("cdata", refuse);
  parser.on("processinginstruction", refuse);
  parser.on("comment", () => on(() => {}));
  parser.on("opentag", (tag) => on(() => open(tag)));
  parser.on("closetag", (tag) => on(() => close(tag)));
  parser.on("text", (text) => on(() => addText(text)));

  function open(tag: OpenTag): void {
    if (around.length >= MAX_DEPTH) throw new XmlError(`elements nested deeper than ${MAX_DEPTH} levels`);
    checkIds(tag);
    const [root] = around;
    if (root === undefined) {
      requireMetadata(tag);
      if (trust === undefined) beginContent();
    } else if (signaturePart !== undefined) append(signaturePart, plainTag(tag));
    else if (trust !== undefined && around.length === 1 && isSignature(tag)) {
      if (signed !== undefined) throw new SignatureError(`a second Signature in ${quoted(root.local)}`);
      if (isWriting) throw unsigned(root);
      signaturePart = { text: plainTag(tag), depth: around.length };
    } else if (!isWriting) throw unsigned(root);
    if (isWriting && signaturePart === undefined) {
      index?.open(tag, around.length);
      write(tag);
    }
    around.push(tag);
  }

  function close(tag: OpenTag): void {
    around.pop();
    const [root] = around;
    if (signaturePart !== undefined) {
      append(signaturePart, `</${tag.name}>`);
      if (around.length > signaturePart.depth || root === undefined) return;
      const signature = verifiedSignature(root, signaturePart.text);
      signed = { signature, digest: createHash(signature.hash) };
      signaturePart = undefined;
      writer = createCanonicalWriter(signature.inclusivePrefixes);
      beginContent();
      write(root, 0);
      emit(canonicalText(held));
      return;
    }
    if (!isWriting) throw unsigned(tag);
    index?.close(around.length);
    emit(writer.close(tag.name));
    if (entity !== undefined && around.length === entity.depth) readEntity(entity);
  }

  function addText(text: string): void {
    if (around.length === 0) return;
    if (signaturePart !== undefined) append(signaturePart, canonicalText(text));
    else if (isWriting) {
      index?.text(text);
      emit(canonicalText(text));
    } else if ((held += text).length > MAX_PART_CHARACTERS) throw tooLong();
  }

  function beginContent(): void {
    isWriting = true;
  }

  /** Writes a start tag. */
  function write(tag: OpenTag, depth = around.length): void {
    // One within another entity is that one's own statement, such as an extension.
    const isEntity =
      isMetadata(tag, "EntityDescriptor") &&
      around.slice(0, depth).every((each) => isMetadata(each, "EntitiesDescriptor"));
    const entityId = isEntity ? entityIdOf(tag) : "";
    if (wanted.has(entityId)) {
      if (found.has(entityId)) throw new XmlError(`the metadata describes ${quoted(entityId)} twice`);
      if (found.size >= MAX_ENTITIES) throw new XmlError(`more than ${MAX_ENTITIES} wanted entities`);
      entity = { text: "", depth, entityId };
    }
    emit(writer.open(tag));
  }

  function emit(text: string): void {
    if (signed !== undefined && (digested += text).length > PIECE_CHARACTERS) flush();
    if (entity !== undefined) append(entity, text);
  }

  function flush(): void {
    signed?.digest.update(digested, "utf8");
    digested = "";
  }

  /** Within copies of the start tags around it. */
  function readEntity({ entityId, text }: NonNullable<typeof entity>): void {
    entity = undefined;
    const before = around.map(scopeTag).join("");
    const after = around.map(({ name }) => `</${name}>`).toReversed();
    found.set(entityId, describeEntity(entityId, before + text + after.join("")));
  }

  /** @throws {SignatureError} Before the rest is read: it covers another element, or no trusted signer made it. */
  function verifiedSignature(root: OpenTag, text: string): EnvelopedSignature {
    if (trust === undefined) throw new TypeError("no signers");
    const element = readMetadataXml(`${plainTag(root)}${text}</${root.name}>`);
    return readEnvelopedSignature(element, trust);
  }

  function unsigned(root: OpenTag): SignatureError {
    const signers = trust === undefined ? "" : trustedSigners(trust);
    return new SignatureError(
      `the metadata is not signed: the first element in ${quoted(root.local)} is no Signature, expected one by ${signers}`,
    );
  }

  /** As in `checkUniqueIds`. */
  function checkIds({ attributes }: OpenTag): void {
    if (trust === undefined) return;
    for (const name of ["ID", "Id", "id", "xml:id", "AssertionID"]) {
      const id = Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined;
      if (id === undefined) continue;
      if (ids.has(id)) throw new SignatureError(`duplicate ID attribute ${quoted(id)}`);
      if (ids.add(id).size > MAX_IDS) throw new XmlError(`more than ${MAX_IDS} ids`);
    }
  }

  return {
    write(text: string): void {
      for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
        const piece = text.slice(start, start + PIECE_CHARACTERS);
        parser.write(piece);
        pending += piece.length;
        if (pending > MAX_PART_CHARACTERS) throw tooLong();
      }
    },
    end(): readonly ProviderMetadata[] {
      parser.close();
      flush();
      if (signed !== undefined && signed.digest.digest("base64") !== signed.signature.digest)
        throw new SignatureError("digest does not match: the signed element was changed");
      return [...found.values()];
    },
  };
}

function refuse(): never {
  throw new XmlError("DOCTYPE, processing instructions and CDATA sections are not allowed");
}

function append(part: Part, text: string): void {
  part.text += text;
  if (part.text.length > MAX_PART_CHARACTERS) throw tooLong();
}

const tooLong = () =>
  new XmlError(`an element, a tag or a text has more than ${MAX_PART_CHARACTERS} characters`);

const entityIdOf = ({ attributes }: OpenTag): string =>
  Object.hasOwn(attributes, "entityID") ? (attributes["entityID"]?.value ?? "") : "";

function requireMetadata(tag: OpenTag): void {
  if (!isMetadata(tag, "EntitiesDescriptor") && !isMetadata(tag, "EntityDescriptor"))
    throw new XmlError(
      `root element is ${quoted(tag.local)}, expected EntitiesDescriptor or EntityDescriptor`,
    );
}

/** A start tag as it was read. */
function plainTag({ name, attributes }: OpenTag): string {
  return `<${name}${Object.values(attributes)
    .map((each) => attribute(each.name, each.value))
    .join("")}>`;
}

/** A start tag with what holds for the elements within it: prefixes, and how long they are valid. */
function scopeTag({ name, attributes }: OpenTag): string {
  const held = Object.values(attributes).filter(
    (each) => /^xmlns(?::|$)/.test(each.name) || ["validUntil", "cacheDuration"].includes(each.name),
  );
  return `<${name}${held.map((each) => attribute(each.name, each.value)).join("")}>`;
}

/** How long an aggregate without `cacheDuration` is used before it is read again. */
const USUAL_LIFE_MS = 6 * 3_600_000;

function describeEntity(entityId: string, xml: string): ProviderMetadata {
  try {
    const { certificates, ...facts } = readProviderMetadata({ xml, remoteIds: [entityId] });
    // Copied: parts of the text would keep all of it in memory.
    const copy = JSON.parse(JSON.stringify(facts)) as typeof facts;
    return { ...copy, certificates, cacheMs: facts.cacheMs ?? USUAL_LIFE_MS };
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    throw new XmlError(`${quoted(entityId)}: ${cause.message}`, { cause });
  }
}
