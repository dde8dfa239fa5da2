/** Downloads metadata: documents as text, aggregates as they come, and neither again where the server says that it has not changed. */
import type { IncomingHttpHeaders } from "node:http";

import {
  createOutgoingDownload,
  responseOf,
  hostOf,
  type Lookup,
} from "../../../../platform/outgoing/outgoing-requests.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import { masked, ProviderResponseError } from "../../../provider-words.js";

/** What a server calls the document that it has sent. */
export interface DocumentVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface Downloaded {
  /** The text; of an aggregate, which may be large, its bytes as they come; `undefined` if it is still the known version. */
  readonly content: string | AsyncIterable<Uint8Array> | undefined;
  /** `undefined` where the server names none. */
  readonly version?: DocumentVersion | undefined;
}

/**
 * What is at a URL.
 *
 * @param known The version that the caller has.
 * @throws The download failed.
 */
export type ReadUrl = (url: string, known?: DocumentVersion) => Promise<Downloaded>;

export interface MetadataDownloadDeps {
  /** For development: over HTTP, and from private addresses. */
  readonly allowsHttpIssuers: boolean;
  /** The operator's own networks in which providers may be. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** Resolves host names; the system's resolver if left out. */
  readonly lookup?: Lookup;
}

/** Downloads metadata from the internet, and from the networks that the operator allows. */
export function createMetadataDownload({
  allowsHttpIssuers,
  isProviderNetwork,
  lookup,
}: MetadataDownloadDeps): ReadUrl {
  return async (text, known) => {
    const url = new URL(text);
    const host = allowsHttpIssuers ? hostOf(url) : undefined;
    const rules = {
      allowsHttp: allowsHttpIssuers && url.protocol === "http:",
      allowsPrivate: (address: string, name: string) => name === host || isProviderNetwork(address),
    };
    const response = await createOutgoingDownload(rules, lookup)(text, conditions(known));
    const { status, body } = response;
    const version = versionOf(response.headers);
    const start = await startOf(body, status === 200 ? MAX_DOCUMENT_BYTES : MAX_ERROR_BYTES);
    if (status === 304 && known !== undefined) return { content: undefined, version };
    if (status !== 200)
      throw new ProviderResponseError(
        `metadata is answered with status ${status}, expected 200: ${quoted(masked(text))} (idp_metadata_url)`,
        responseOf(response, start.bytes),
      );
    if (start.rest === undefined) return { content: start.bytes.toString(), version };
    response.extend(AGGREGATE_MS);
    return { content: chunksOf(start.bytes, start.rest), version };
  };
}

/** Bytes of metadata that is read as a whole; more is read as an aggregate. */
const MAX_DOCUMENT_BYTES = 1 << 20;
const MAX_ERROR_BYTES = 65_536;
/** Until an aggregate is downloaded and read. */
const AGGREGATE_MS = 300_000;

async function startOf(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly rest: AsyncIterator<Buffer> | undefined }> {
  const rest = body[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= maxBytes) {
    const next = await rest.next();
    if (next.done === true) return { bytes: Buffer.concat(chunks), rest: undefined };
    chunks.push(next.value);
    length += next.value.length;
  }
  return { bytes: Buffer.concat(chunks), rest };
}

async function* chunksOf(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    // Closes the connection, where the reader has given up.
    await rest.return?.();
  }
}

const MAX_VERSION_CHARACTERS = 1024;

/** @see RFC 9110, 13.1: of both, servers compare the entity tag. */
function conditions(known: DocumentVersion | undefined): Readonly<Record<string, string>> {
  return {
    ...(known?.etag !== undefined && { "if-none-match": known.etag }),
    ...(known?.lastModified !== undefined && { "if-modified-since": known.lastModified }),
  };
}

const isUsable = (text: string | undefined) => text !== undefined && text.length <= MAX_VERSION_CHARACTERS;

function versionOf(headers: IncomingHttpHeaders): DocumentVersion | undefined {
  const { etag, "last-modified": lastModified } = headers;
  if (!isUsable(etag) && !isUsable(lastModified)) return undefined;
  return { ...(isUsable(etag) && { etag }), ...(isUsable(lastModified) && { lastModified }) };
}
