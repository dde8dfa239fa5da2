/** What an OpenID provider publishes: the settings that name its documents, and the keys in those that are kept. */
import { X509Certificate } from "node:crypto";

import type { Moment } from "../../../platform/clock.js";
import { jwkWeakness } from "../../../platform/secrets/key-strength.js";
import type { ProviderKey } from "../protocol-type.js";
import {
  digestOf,
  type DocumentSource,
  type DocumentSources,
  type StoredDocument,
} from "../../published/document-store.js";
import type { AnyOpenIdSettings } from "./openid-settings.js";

export const discoverySource = (issuer: string): DocumentSource => [issuer];

export const keysSource = (issuer: string, uri: string): DocumentSource => [issuer, uri];

/** The address of the keys is in the discovery document. */
export function openIdDocuments(
  { issuer, jwks, jwks_uri: workloadUri }: AnyOpenIdSettings,
  documents: readonly StoredDocument[],
): DocumentSources {
  const discovery = documents.find(
    ({ kind, source }) => kind === "discovery" && source === digestOf(discoverySource(issuer)),
  );
  const uri = discovery && (JSON.parse(discovery.content) as { readonly jwks_uri: string }).jwks_uri;
  return {
    discovery: jwks === undefined && workloadUri === undefined ? discoverySource(issuer) : undefined,
    jwks: uri === undefined ? undefined : keysSource(issuer, uri),
    "workload-jwks": workloadUri === undefined ? undefined : keysSource(issuer, workloadUri),
  };
}

/** Keys that are shown. */
const MAX_KEYS = 50;

export function openIdKeys({ jwks }: AnyOpenIdSettings, documents: readonly StoredDocument[]): ProviderKey[] {
  const inline = jwks?.keys;
  const sets = inline === undefined ? documents.filter(({ kind }) => kind.endsWith("jwks")) : [];
  const keys = inline ?? sets.flatMap(({ content }) => (JSON.parse(content) as { keys: unknown[] }).keys);
  return keys.slice(0, MAX_KEYS).map((key) => {
    const { kid, kty, alg, x5c } = (key ?? {}) as Readonly<Record<string, unknown>>;
    const [first] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
    return {
      id: typeof kid === "string" ? kid : "",
      algorithm: [kty, alg].filter((each) => typeof each === "string").join(" "),
      expiresAt: typeof first === "string" ? certificateEnd(first) : undefined,
      fault: jwkWeakness(key),
    };
  });
}

function certificateEnd(base64: string): Moment | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, "base64")).validTo);
  } catch {
    return undefined;
  }
}
