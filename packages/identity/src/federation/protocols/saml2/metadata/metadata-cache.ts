/** Metadata of identity providers: downloaded, cached, and checked before settings are stored. */
import { X509Certificate } from "node:crypto";

import { ProtocolSettingsError } from "../../../../identity-providers/identity-provider-errors.js";
import type { Clock } from "../../../../platform/clock.js";
import { BusyError } from "../../../../platform/concurrency/bounded-queue.js";
import { createHourly } from "../../../../platform/hourly.js";
import {
  AddressRefusedError,
  createOutgoingFetch,
  hostOf,
  type Lookup,
} from "../../../../platform/outgoing/outgoing-requests.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import type { EnabledProtocol, VerifierLog } from "../../../assertion-verifier.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import { isoTime } from "../../../leeway.js";
import { masked, ProviderResponseError } from "../../../provider-words.js";
import { metadataSource } from "../saml2-documents.js";
import {
  NO_SHELF,
  type DocumentShelf,
  type ProviderDocumentCache,
} from "../../../published/provider-document-cache.js";
import { createProviderCache, type Restored, type Schedule } from "../../../published/provider-cache.js";
import { certificateDatesFault, separateWeakKeys } from "../provider-certificates.js";
import type { MetadataTask, SamlReader } from "../saml-reader.js";
import type { Saml2Settings } from "../saml2-settings.js";
import { keptUntil, lifeMs, requireUnexpired } from "./metadata-validity.js";
import type { ProviderMetadata } from "./provider-metadata.js";

export type { Saml2Settings };

/** The text at a URL. @throws The download failed. */
export type ReadUrl = (url: string) => Promise<string>;

export interface MetadataCache {
  /** @throws The metadata can't be downloaded, or can't be read. */
  get(protocol: SamlProtocol, log: Pick<VerifierLog, "warn">): Promise<ProviderMetadata>;
}

type SamlProtocol = EnabledProtocol<Saml2Settings>;

export interface MetadataSources {
  readonly readUrl: ReadUrl;
  readonly reader: Pick<SamlReader, "readMetadata">;
  readonly clock: Clock;
}

export interface MetadataCacheDeps extends MetadataSources {
  /** Keeps what was downloaded; nothing, if left out. */
  readonly kept?: ProviderDocumentCache | undefined;
  /** Runs a refresh later; a timer if left out. */
  readonly schedule?: Schedule;
}

const MAX_RETRY_MS = 60_000;

export function createMetadataCache({ schedule, kept, ...sources }: MetadataCacheDeps): MetadataCache {
  const { clock } = sources;
  const isDue = createHourly(sources);
  const cache = createProviderCache<ProviderMetadata>({
    clock: sources.clock,
    maxRetryMs: MAX_RETRY_MS,
    lifeMs,
    keptUntil,
    ...(schedule !== undefined && { schedule }),
  });

  async function load(
    protocol: SamlProtocol,
    log: Pick<VerifierLog, "warn">,
    isRetry: boolean,
  ): Promise<ProviderMetadata> {
    const shelf = shelfFor(protocol, kept);
    const download = downloadMetadata({ ...metadataOf(protocol), isRetry }, sources);
    download.catch((error: unknown) => (error instanceof BusyError ? undefined : shelf.fail(error)));
    const { provider, downloaded } = await download;
    if (downloaded !== undefined) void shelf.keep(downloaded);
    const { entityId } = provider;
    const faults = provider.certificates
      .flatMap((certificate) => certificateDatesFault(certificate, clock.now()) ?? [])
      .filter((fault) => isDue(entityId, fault));
    if (faults.length > 0)
      log.warn({ entityId, certificates: faults }, "signatures are accepted by certificates out of date");
    return provider;
  }

  async function restore(protocol: SamlProtocol): Promise<Restored<ProviderMetadata> | undefined> {
    const found = await shelfFor(protocol, kept).find();
    if (found === undefined) return undefined;
    try {
      const readUrl = async () => found.text;
      const value = await loadMetadata({ ...metadataOf(protocol), isRetry: true }, { ...sources, readUrl });
      return { value, loadedAt: found.readAt };
    } catch {
      // It has expired: the failed download is what is reported.
      return undefined;
    }
  }

  return {
    get: (protocol, log) =>
      cache.get(
        protocol.settings,
        {
          load: (isRetry) => load(protocol, log, isRetry),
          // An address that the operator does not allow any more is no outage.
          restore: async (error) => (error instanceof AddressRefusedError ? undefined : restore(protocol)),
          onStale: ({ value: { entityId }, keptUntil: usableUntil }, error) =>
            log.warn({ err: error, entityId, usedUntil: isoTime(usableUntil) }, "metadata not renewed"),
        },
        { discriminator: protocol.provider.remoteIds, refreshedAt: protocol.refreshedAt },
      ),
  };
}

/** Pinned certificates are those of the settings, whichever were pinned when the metadata was downloaded. */
function shelfFor(owner: SamlProtocol, kept: ProviderDocumentCache | undefined): DocumentShelf {
  const source = metadataSource(owner.settings, owner.provider.remoteIds);
  return kept === undefined || source === undefined ? NO_SHELF : kept.at({ owner, kind: "metadata", source });
}

interface MetadataLoad extends Pick<MetadataTask, "isRetry" | "remoteIds"> {
  readonly settings: Saml2Settings;
}

const metadataOf = ({ settings, provider: { remoteIds } }: SamlProtocol) => ({ settings, remoteIds });

/** @returns The text too, where it was downloaded. */
async function downloadMetadata(
  wanted: MetadataLoad,
  sources: MetadataSources,
): Promise<{ readonly provider: ProviderMetadata; readonly downloaded: string | undefined }> {
  let downloaded: string | undefined;
  const readUrl = async (url: string) => {
    downloaded = await sources.readUrl(url);
    return downloaded;
  };
  const provider = await loadMetadata(wanted, { ...sources, readUrl });
  return { provider, downloaded };
}

/**
 * The metadata that settings name, with the certificates that verify the provider's signatures.
 *
 * @throws It can't be downloaded or read, has no signature by a trusted signer, or has expired.
 */
export async function loadMetadata(
  { settings, remoteIds, isRetry }: MetadataLoad,
  { readUrl, reader, clock }: MetadataSources,
): Promise<ProviderMetadata> {
  const {
    idp_metadata_xml: inline,
    idp_metadata_url: url = "",
    idp_metadata_certificates: signers,
  } = settings;
  const trust = signers && {
    ...separateWeakKeys(signers.map(readPem)),
    allowsSha1: false,
    setting: "idp_metadata_certificates",
  };
  const xml = inline ?? (await readUrl(url));
  const provider = await reader.readMetadata({ xml, remoteIds, isRetry, trust });
  requireUnexpired(provider, clock.now());
  const { idp_certificates: pinned } = settings;
  return pinned === undefined ? provider : { ...provider, ...separateWeakKeys(pinned.map(readPem)) };
}

const readPem = (pem: string): X509Certificate => new X509Certificate(pem);

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
    if (response.status !== 200)
      throw new ProviderResponseError(
        `metadata is answered with status ${response.status}, expected 200: ${quoted(masked(text))} (idp_metadata_url)`,
        response,
      );
    return response.text();
  };
}

/**
 * Rejects settings whose metadata has a weak key, or none that is accepted, before they are stored. Metadata at a URL, and metadata that can't be read, pass:
 * the first login logs the reason.
 *
 * @returns A function that throws {@link ProtocolSettingsError} for a weak key, and {@link BusyError} if the queue is full.
 */
export function createMetadataCheck({ reader }: { readonly reader: Pick<SamlReader, "readMetadata"> }) {
  return async (draft: Saml2Settings, remoteIds: readonly string[]): Promise<void> => {
    // Pinned certificates replace those of the metadata.
    if (draft.idp_metadata_xml === undefined || draft.idp_certificates) return;
    const task = { xml: draft.idp_metadata_xml, remoteIds, isRetry: false };
    const found = await reader.readMetadata(task).catch((error: unknown) => {
      if (error instanceof AssertionRefusedError) return undefined;
      throw error;
    });
    if (found === undefined || found.weakKeys.length === 0) return;
    // A provider may have a key of a kind that is not accepted in addition to others.
    if (!found.hasWeakKey && found.certificates.length > 0) return;
    throw new ProtocolSettingsError(
      `settings: "idp_metadata_xml" has a key that is ${found.hasWeakKey ? "too weak to sign" : "not accepted"}: ${found.weakKeys.join(", ")}`,
    );
  };
}
