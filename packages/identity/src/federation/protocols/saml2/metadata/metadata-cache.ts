/** Metadata of identity providers: downloaded, cached, and checked before settings are stored. */
import { createHash, X509Certificate } from "node:crypto";

import { ProtocolSettingsError } from "../../../../identity-providers/identity-provider-errors.js";
import type { Clock, Moment } from "../../../../platform/clock.js";
import { BusyError } from "../../../../platform/concurrency/bounded-queue.js";
import { createHourly } from "../../../../platform/hourly-warnings.js";
import { AddressRefusedError } from "../../../../platform/outgoing/outgoing-requests.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import type { EnabledProtocol, VerifierLog } from "../../../assertion-verifier.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import { isoTime, LEEWAY_MS } from "../../../leeway.js";
import { ProviderResponseError } from "../../../provider-words.js";
import {
  MAX_CHARACTERS,
  NO_SHELF,
  type DocumentShelf,
  type ProviderDocumentCache,
} from "../../../published/provider-document-cache.js";
import { createProviderCache, type Restored, type Schedule } from "../../../published/refreshing-cache.js";
import { certificateDatesFault, separateWeakKeys } from "../provider-certificates.js";
import type { MetadataTask, SamlReader } from "../saml-reader.js";
import { metadataSource } from "../saml2-documents.js";
import type { Saml2Settings } from "../saml2-settings.js";
import type { SignatureTrust } from "../signed-element.js";
import { XmlError } from "../xml-reading.js";
import { keptProviders, keptProvidersIn, restoreProviders } from "./kept-providers.js";
import type { DocumentVersion, ReadUrl } from "./metadata-download.js";
import { keptUntil, lifeMs, requireUnexpired, shortestValidity } from "./metadata-lifetime.js";
import type { ProviderMetadata } from "./provider-metadata.js";

export type { Saml2Settings };

export interface MetadataCache {
  /** @throws The metadata can't be downloaded, or can't be read. */
  get(protocol: SamlProtocol, log: Pick<VerifierLog, "warn">): Promise<ProviderMetadata>;
}

type SamlProtocol = EnabledProtocol<Saml2Settings>;

export interface MetadataSources {
  readonly readUrl: ReadUrl;
  readonly reader: Pick<SamlReader, "readMetadata" | "readAggregate">;
  readonly clock: Clock;
  /** What was read of earlier versions. */
  readonly known?: KnownVersions;
}

interface KnownMetadata {
  readonly version: DocumentVersion;
  readonly found: FoundMetadata;
}

/** By what it was read for. */
export interface KnownVersions {
  get(key: string): KnownMetadata | undefined;
  set(key: string, value: KnownMetadata): void;
}

/** @param max Addresses of which the last version is known. */
export function createKnownVersions(max: number): KnownVersions {
  const known = new Map<string, KnownMetadata>();
  return {
    get: (key) => known.get(key),
    set(key, value) {
      known.delete(key);
      known.set(key, value);
      const [oldest] = known.keys();
      if (known.size > max && oldest !== undefined) known.delete(oldest);
    },
  };
}

const MAX_KNOWN = 256;

export interface MetadataCacheDeps extends MetadataSources {
  /** Keeps what was downloaded; nothing, if left out. */
  readonly kept?: ProviderDocumentCache | undefined;
  /** Runs a refresh later; a timer if left out. */
  readonly schedule?: Schedule;
}

const MAX_RETRY_MS = 60_000;

export function createMetadataCache({ schedule, kept, ...others }: MetadataCacheDeps): MetadataCache {
  const sources = { ...others, known: createKnownVersions(MAX_KNOWN) };
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
    const { entityId } = provider;
    if (downloaded !== undefined) {
      void shelf.keep(downloaded);
      if (downloaded.length > MAX_CHARACTERS && isDue(entityId, "size"))
        log.warn(
          { entityId, characters: downloaded.length, maxCharacters: MAX_CHARACTERS },
          "metadata is too large to be kept for an outage of the provider",
        );
    }
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
      const value = await restoreMetadata(found.text, { ...metadataOf(protocol), isRetry: true }, sources);
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
  /** A refresh reads everything again. */
  readonly refreshedAt?: Moment | undefined;
}

const metadataOf = ({ settings, refreshedAt, provider: { remoteIds } }: SamlProtocol) => ({
  settings,
  refreshedAt,
  remoteIds,
});

/** @returns What to keep, too, where something was downloaded. */
async function downloadMetadata(
  wanted: MetadataLoad,
  sources: MetadataSources,
): Promise<{ readonly provider: ProviderMetadata; readonly downloaded: string | undefined }> {
  const found = await findMetadata(wanted, sources);
  return { provider: usable(found.entities, wanted, sources), downloaded: found.kept };
}

/**
 * The metadata that settings name, with the certificates that verify the provider's signatures.
 *
 * @throws It can't be downloaded or read, has no signature by a trusted signer, or has expired.
 */
export async function loadMetadata(
  wanted: MetadataLoad,
  sources: MetadataSources,
): Promise<ProviderMetadata> {
  return usable((await findMetadata(wanted, sources)).entities, wanted, sources);
}

/** As it was kept. */
async function restoreMetadata(
  kept: string,
  wanted: MetadataLoad,
  sources: MetadataSources,
): Promise<ProviderMetadata> {
  const providers = keptProvidersIn(kept);
  if (providers !== undefined) return usable(await restoreProviders(providers), wanted, sources);
  const readUrl = async () => ({ content: kept });
  return loadMetadata(wanted, { ...sources, readUrl });
}

interface FoundMetadata {
  readonly entities: readonly ProviderMetadata[];
  readonly kept: string | undefined;
}

async function findMetadata(wanted: MetadataLoad, sources: MetadataSources): Promise<FoundMetadata> {
  const { settings, remoteIds, isRetry } = wanted;
  const { idp_metadata_xml: inline, idp_metadata_url: url = "", idp_mdq_url: mdq } = settings;
  const trust = trustOf(settings);
  const { reader, readUrl } = sources;
  if (mdq !== undefined) return queryMetadata(mdq, { ...wanted, trust }, sources);
  const key = JSON.stringify([
    url,
    settings.idp_metadata_certificates ?? null,
    remoteIds,
    wanted.refreshedAt,
  ]);
  const before = inline === undefined ? sources.known?.get(key) : undefined;
  const { content, version } =
    inline === undefined ? await readUrl(url, before?.version) : { content: inline };
  if (content === undefined && before !== undefined) return before.found;
  const found = await readContent(content ?? "", { remoteIds, isRetry, trust }, reader);
  if (version !== undefined) sources.known?.set(key, { version, found });
  return inline === undefined ? found : { ...found, kept: undefined };
}

async function readContent(
  xml: string | AsyncIterable<Uint8Array>,
  task: Pick<MetadataTask, "remoteIds" | "isRetry" | "trust">,
  reader: MetadataSources["reader"],
): Promise<FoundMetadata> {
  if (typeof xml !== "string") {
    const { remoteIds: entityIds, ...others } = task;
    const { providers, kept } = await reader.readAggregate({ entityIds, ...others }, xml);
    return { entities: providers, kept };
  }
  const provider = await reader.readMetadata({ xml, ...task });
  return { entities: [provider, ...(provider.others ?? [])], kept: xml };
}

export function trustOf({ idp_metadata_certificates: signers }: Saml2Settings): SignatureTrust | undefined {
  return (
    signers && {
      ...separateWeakKeys(signers.map(readPem)),
      allowsSha1: false,
      setting: "idp_metadata_certificates",
    }
  );
}

interface TrustedLoad extends MetadataLoad {
  readonly trust: SignatureTrust | undefined;
}

/** Asks a metadata query service for each entity. */
async function queryMetadata(
  base: string,
  wanted: TrustedLoad,
  sources: MetadataSources,
): Promise<FoundMetadata> {
  if (wanted.remoteIds.length === 0 || wanted.remoteIds.length > MAX_QUERIES)
    throw new AssertionRefusedError({
      step: "metadata",
      reason: `the provider has ${wanted.remoteIds.length} remote_ids, expected 1 to ${MAX_QUERIES} with idp_mdq_url`,
    });
  const texts = await Promise.all(
    wanted.remoteIds.map(async (entityId) => {
      try {
        const { content } = await sources.readUrl(mdqUrl(base, entityId));
        if (typeof content === "string") return content;
        throw new XmlError(`the metadata of ${quoted(entityId)} has more than a megabyte`);
      } catch (error) {
        // It has left the federation.
        const isGone = error instanceof ProviderResponseError && error.status === 404;
        if (isGone && wanted.remoteIds.length > 1) return undefined;
        throw error;
      }
    }),
  );
  const answers = texts.filter((text) => text !== undefined);
  const entities = await readAnswers(answers, wanted, sources);
  return { entities, kept: keptProviders(entities) };
}

/** Requests of one refresh. */
const MAX_QUERIES = 50;

/**
 * The address of an entity at a metadata query service, by the SHA-1 transform of its id, which every service of SAML has to know.
 *
 * @see draft-young-md-query-saml, 2.2, and draft-young-md-query, 3
 */
export function mdqUrl(base: string, entityId: string): string {
  const id = `{sha1}${createHash("sha1").update(entityId).digest("hex")}`;
  return `${base.replace(/\/$/, "")}/entities/${encodeURIComponent(id)}`;
}

/** Documents with one entity each, which have to be among the wanted ones. */
async function readAnswers(
  answers: readonly string[],
  { remoteIds, isRetry, trust }: TrustedLoad,
  { reader }: MetadataSources,
): Promise<ProviderMetadata[]> {
  const providers: ProviderMetadata[] = [];
  for (const xml of answers) {
    const provider = await reader.readMetadata({ xml, remoteIds, isRetry, trust });
    if (!remoteIds.includes(provider.entityId))
      throw new AssertionRefusedError({
        step: "metadata",
        reason: `the metadata describes ${quoted(provider.entityId)}, which is not among the provider's remote_ids`,
      });
    providers.push(provider);
  }
  return providers;
}

/** @throws {AssertionRefusedError} None is left that has not expired. */
function usable(
  entities: readonly ProviderMetadata[],
  { settings: { idp_certificates: pinned } }: MetadataLoad,
  { clock }: Pick<MetadataSources, "clock">,
): ProviderMetadata {
  const now = clock.now();
  const valid = entities.filter(({ validUntil = Infinity }) => now < validUntil + LEEWAY_MS);
  const [first] = valid.length === 0 ? entities : valid;
  if (first === undefined)
    throw new AssertionRefusedError({
      step: "metadata",
      reason: "the metadata describes 0 identity providers named in the provider's remote_ids, expected one",
    });
  if (valid.length === 0) requireUnexpired(first, now);
  const own = pinned === undefined ? {} : separateWeakKeys(pinned.map(readPem));
  const [provider = first, ...others] = valid.map((each) => ({ ...each, ...own }));
  return { ...provider, ...shortestValidity(valid), others };
}

const readPem = (pem: string): X509Certificate => new X509Certificate(pem);

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
