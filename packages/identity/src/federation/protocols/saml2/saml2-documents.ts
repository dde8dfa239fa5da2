/** What a SAML provider publishes: the settings that name its metadata, and the keys in it. */
import { X509Certificate } from "node:crypto";

import type { FoundKeys, ProviderKey } from "../protocol-type.js";
import type { DocumentSource, StoredDocument } from "../../published/document-store.js";
import { keptProvidersIn } from "./metadata/kept-providers.js";
import { shortestValidity, type MetadataValidity } from "./metadata/metadata-lifetime.js";
import { entitiesOf, type ProviderMetadata } from "./metadata/provider-metadata.js";
import { keyOfCertificate } from "./provider-certificates.js";
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
  const text = settings.idp_metadata_xml ?? documents.find(({ kind }) => kind === "metadata")?.content;
  const found = text === undefined ? [] : await readKeys(text, remoteIds, reader);
  const hasSeveral = found.length > 1;
  const pinned = settings.idp_certificates?.map((pem) => keyOfCertificate(new X509Certificate(pem)));
  const keys = pinned ?? found.flatMap((each) => keysOf(each, hasSeveral));
  const byEnd = keys.toSorted(
    (one, other) => (one.expiresAt ?? Infinity) - (other.expiresAt ?? Infinity) || 0,
  );
  return {
    keys: (hasSeveral ? byEnd : keys).slice(0, MAX_KEYS),
    validUntil: shortestValidity(found.map(({ entity }) => entity)).validUntil,
  };
}

interface EntityKeys {
  readonly entity: Pick<ProviderMetadata, "entityId" | "weakKeys" | keyof MetadataValidity>;
  readonly keys: readonly ProviderKey[];
}

async function readKeys(
  text: string,
  remoteIds: readonly string[],
  reader: Pick<SamlReader, "readMetadata">,
): Promise<EntityKeys[]> {
  const kept = keptProvidersIn(text);
  if (kept !== undefined)
    return kept.map((entity) => ({ entity, keys: entity.certificates.map(({ key }) => key) }));
  const metadata = await reader.readMetadata({ xml: text, remoteIds, isRetry: true });
  return entitiesOf(metadata).map((entity) => ({ entity, keys: entity.certificates.map(keyOfCertificate) }));
}

function keysOf({ keys, entity: { entityId, weakKeys } }: EntityKeys, isNamed: boolean): ProviderKey[] {
  const own = isNamed ? { entity: entityId } : {};
  return [
    ...keys.map((key) => ({ ...own, ...key })),
    ...weakKeys.map((fault) => ({ ...own, id: "", algorithm: "", expiresAt: undefined, fault })),
  ];
}
