/** What a SAML provider publishes: the settings that name its metadata, and the keys in it. */
import { X509Certificate } from "node:crypto";

import type { FoundKeys } from "../protocol-type.js";
import type { DocumentSource, StoredDocument } from "../../published/document-store.js";
import { fingerprintOf } from "./provider-certificates.js";
import type { SamlReader } from "./saml-reader.js";
import type { Saml2Settings } from "./saml2-settings.js";

/** `undefined` if the settings name no address. */
export function metadataSource(
  { idp_metadata_url: url, idp_mdq_url: mdq, idp_metadata_certificates: signers }: Saml2Settings,
  remoteIds: readonly string[],
): DocumentSource | undefined {
  if (mdq !== undefined) return [{ mdq }, signers ?? null, remoteIds];
  return url === undefined ? undefined : [url, signers ?? null, remoteIds];
}

export interface PublishedMetadata {
  readonly remoteIds: readonly string[];
  readonly documents: readonly StoredDocument[];
}

/** Keys that are shown. */
const MAX_KEYS = 50;

export async function saml2Keys(
  settings: Saml2Settings,
  { remoteIds, documents }: PublishedMetadata,
  reader: Pick<SamlReader, "readMetadata">,
): Promise<FoundKeys> {
  const kept = documents.find(({ kind }) => kind === "metadata")?.content;
  const xml = settings.idp_metadata_xml ?? kept;
  const metadata =
    xml === undefined ? undefined : await reader.readMetadata({ xml, remoteIds, isRetry: true });
  const pinned = settings.idp_certificates?.map((pem) => new X509Certificate(pem));
  const certificates = pinned ?? metadata?.certificates ?? [];
  const weak = (pinned === undefined ? (metadata?.weakKeys ?? []) : []).map((fault) => ({
    id: "",
    algorithm: "",
    expiresAt: undefined,
    fault,
  }));
  const keys = certificates.map((certificate) => ({
    id: fingerprintOf(certificate),
    algorithm: certificate.publicKey.asymmetricKeyType ?? "",
    expiresAt: Date.parse(certificate.validTo),
    fault: undefined,
  }));
  return { keys: [...keys, ...weak].slice(0, MAX_KEYS), validUntil: metadata?.validUntil };
}
