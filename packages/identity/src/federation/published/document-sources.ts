/** The settings that name each document of a provider: one that was read by other settings does not count. */
import { createHash } from "node:crypto";

import type { OpenedSettings } from "../../identity-providers/protocols/protocol-settings.js";
import type { DocumentKind, StoredDocument } from "./document-store.js";

/** As JSON values. */
export type DocumentSource = readonly unknown[];

type SamlSettings = Extract<OpenedSettings, { readonly type: "saml2" }>;

export const discoverySource = (issuer: string): DocumentSource => [issuer];

export const keysSource = (issuer: string, uri: string): DocumentSource => [issuer, uri];

/** `undefined` if the settings name no address. */
export function metadataSource(
  { idp_metadata_url: url, idp_metadata_certificates: signers }: SamlSettings,
  remoteIds: readonly string[],
): DocumentSource | undefined {
  return url === undefined ? undefined : [url, signers ?? null, remoteIds];
}

export function digestOf(source: DocumentSource): string {
  return createHash("sha256").update(JSON.stringify(source)).digest("base64url");
}

export interface SettingsInUse {
  readonly settings: OpenedSettings | undefined;
  readonly remoteIds: readonly string[];
}

/** Whether a document, or a failed download, is one that these settings name. The address of the keys is in the discovery document. */
export function isOfSettings(
  { settings, remoteIds }: SettingsInUse,
  documents: readonly StoredDocument[],
): (of: Pick<StoredDocument, "kind" | "source">) => boolean {
  const sources: Partial<Record<DocumentKind, DocumentSource | undefined>> = {};
  if (settings?.type === "saml2") sources.metadata = metadataSource(settings, remoteIds);
  if (settings?.type === "openid") {
    const { issuer, jwks_uri: workloadUri } = settings;
    sources.discovery = discoverySource(issuer);
    const discovery = documents.find(
      ({ kind, source }) => kind === "discovery" && source === digestOf(discoverySource(issuer)),
    );
    const uri = discovery && (JSON.parse(discovery.content) as { readonly jwks_uri: string }).jwks_uri;
    sources.jwks = uri === undefined ? undefined : keysSource(issuer, uri);
    sources["workload-jwks"] = workloadUri === undefined ? undefined : keysSource(issuer, workloadUri);
  }
  return ({ kind, source }) => {
    const named = sources[kind];
    return named !== undefined && digestOf(named) === source;
  };
}
