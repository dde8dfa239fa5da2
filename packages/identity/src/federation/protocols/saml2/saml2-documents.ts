/** What a SAML provider publishes: the settings that name its metadata, and the keys in it. */
import { X509Certificate } from "node:crypto";

import type { FoundKeys, ProviderKey } from "../protocol-type.js";
import type { DocumentSource, StoredDocument } from "../../published/document-store.js";
import { documentOf } from "./metadata/kept-parts.js";
import { shortestValidity } from "./metadata/metadata-validity.js";
import { entitiesOf, type ProviderMetadata } from "./metadata/provider-metadata.js";
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

/** Keys that are shown: those that end first. */
const MAX_KEYS = 50;

export async function saml2Keys(
  settings: Saml2Settings,
  { remoteIds, documents }: PublishedMetadata,
  reader: Pick<SamlReader, "readMetadata">,
): Promise<FoundKeys> {
  const kept = documents.find(({ kind }) => kind === "metadata")?.content;
  const xml = settings.idp_metadata_xml ?? (kept && documentOf(kept));
  const metadata =
    xml === undefined ? undefined : await reader.readMetadata({ xml, remoteIds, isRetry: true });
  const entities = metadata === undefined ? [] : entitiesOf(metadata);
  const pinned = settings.idp_certificates?.map((pem) => new X509Certificate(pem));
  const keys =
    pinned === undefined
      ? entities.flatMap((entity) => keysOf(entity, entities.length > 1 ? entity.entityId : undefined))
      : keysOf({ certificates: pinned, weakKeys: [] });
  const byEnd = keys.toSorted(
    (one, other) => (one.expiresAt ?? Infinity) - (other.expiresAt ?? Infinity) || 0,
  );
  return {
    keys: (entities.length > 1 ? byEnd : keys).slice(0, MAX_KEYS),
    validUntil: shortestValidity(entities).validUntil,
  };
}

function keysOf(
  { certificates, weakKeys }: Pick<ProviderMetadata, "certificates" | "weakKeys">,
  entity?: string,
): ProviderKey[] {
  const own = entity === undefined ? {} : { entity };
  return [
    ...certificates.map((certificate) => ({
      ...own,
      id: fingerprintOf(certificate),
      algorithm: certificate.publicKey.asymmetricKeyType ?? "",
      expiresAt: Date.parse(certificate.validTo),
      fault: undefined,
    })),
    ...weakKeys.map((fault) => ({ ...own, id: "", algorithm: "", expiresAt: undefined, fault })),
  ];
}
