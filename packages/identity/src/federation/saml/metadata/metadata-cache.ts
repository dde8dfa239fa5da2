/** Metadata of identity providers: downloaded, cached, and checked before settings are stored. */
import { X509Certificate } from "node:crypto";

import { ProtocolSettingsError } from "../../../identity-providers/identity-provider-errors.js";
import type { OpenedSettings, ProtocolSettingsDraft } from "../../../identity-providers/protocol-settings.js";
import type { Clock, Moment } from "../../../platform/clock.js";
import { createOutgoingFetch, hostOf, type Lookup } from "../../../platform/outgoing/outgoing-requests.js";
import type { VerifierLog } from "../../assertion-verifier.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { createProviderCache } from "../../provider-cache.js";
import type { MetadataTask, SamlReader } from "../saml-reader.js";
import type { ProviderMetadata } from "./provider-metadata.js";

export type Saml2Settings = Extract<OpenedSettings, { readonly type: "saml2" }>;

/** The text at a URL. @throws The download failed. */
export type ReadUrl = (url: string) => Promise<string>;

export interface MetadataCache {
  /** @throws The metadata can't be downloaded, or can't be read. */
  get(wanted: WantedMetadata): Promise<ProviderMetadata>;
}

export interface WantedMetadata {
  readonly settings: Saml2Settings;
  readonly remoteIds: readonly string[];
  /** Metadata that was downloaded for a smaller value is downloaded again. */
  readonly refreshedAt?: Moment | undefined;
  readonly log: Pick<VerifierLog, "warn">;
}

export interface MetadataSources {
  readonly readUrl: ReadUrl;
  readonly reader: Pick<SamlReader, "readMetadata">;
  readonly clock: Clock;
}

const MAX_RETRY_MS = 60_000;
/** A provider's metadata may be unavailable overnight without stopping logins. */
const STALE_MS = 86_400_000;

export function createMetadataCache(sources: MetadataSources): MetadataCache {
  const cache = createProviderCache<ProviderMetadata>({
    clock: sources.clock,
    maxRetryMs: MAX_RETRY_MS,
    staleMs: STALE_MS,
  });

  return {
    get: (wanted) =>
      cache.get(
        wanted.settings,
        {
          load: (isRetry) => loadMetadata({ ...wanted, isRetry }, sources),
          onStale: ({ entityId }, error) => wanted.log.warn({ err: error, entityId }, "metadata not renewed"),
        },
        { discriminator: wanted.remoteIds, refreshedAt: wanted.refreshedAt },
      ),
  };
}

type MetadataLoad = Pick<WantedMetadata, "settings" | "remoteIds"> & Pick<MetadataTask, "isRetry">;

/**
 * The metadata that settings name, with the certificates that verify the provider's signatures.
 *
 * @throws It can't be downloaded, or read.
 */
export async function loadMetadata(
  { settings, remoteIds, isRetry }: MetadataLoad,
  { readUrl, reader }: MetadataSources,
): Promise<ProviderMetadata> {
  const { idp_metadata_xml: xml, idp_metadata_url: url = "", idp_certificates: pinned } = settings;
  const provider = await reader.readMetadata({ xml: xml ?? (await readUrl(url)), remoteIds, isRetry });
  if (pinned === undefined) return provider;
  // Loaded on demand: XML is read in threads.
  const { separateWeakKeys } = await import("./provider-metadata.js");
  return { ...provider, ...separateWeakKeys(pinned.map((pem) => new X509Certificate(pem))) };
}

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
  return async (text) => {
    const url = new URL(text);
    const host = allowsHttpIssuers ? hostOf(url) : undefined;
    const rules = {
      allowsHttp: allowsHttpIssuers && url.protocol === "http:",
      allowsPrivate: (address: string, name: string) => name === host || isProviderNetwork(address),
    };
    const response = await createOutgoingFetch(rules, lookup)(text, { method: "GET", headers: {} });
    if (response.status !== 200) throw new TypeError(`metadata is answered with status ${response.status}`);
    return response.text();
  };
}

/**
 * Rejects settings whose metadata has a weak key, before they are stored. Metadata at a URL, and metadata that can't be read, pass:
 * the first login logs the reason.
 *
 * @returns A function that throws {@link ProtocolSettingsError} for a weak key, and {@link BusyError} if the queue is full.
 */
export function createMetadataCheck({ reader }: { readonly reader: Pick<SamlReader, "readMetadata"> }) {
  return async (draft: ProtocolSettingsDraft, remoteIds: readonly string[]): Promise<void> => {
    // Pinned certificates replace those of the metadata.
    if (draft.type !== "saml2" || draft.idp_metadata_xml === undefined || draft.idp_certificates) return;
    const task = { xml: draft.idp_metadata_xml, remoteIds, isRetry: false };
    const weakKeys = await reader.readMetadata(task).then(
      (provider) => provider.weakKeys,
      (error: unknown) => {
        if (error instanceof AssertionRefusedError) return [];
        throw error;
      },
    );
    if (weakKeys.length > 0)
      throw new ProtocolSettingsError(
        `settings: "idp_metadata_xml" has a key that is too weak to sign: ${weakKeys.join(", ")}`,
      );
  };
}
