/** The health of an identity provider: what it publishes, its keys, and its logins. From the database: all replicas see the same. */
import { X509Certificate } from "node:crypto";

import type { IdentityProvider } from "../../identity-providers/identity-provider-store.js";
import type { OpenedProtocol } from "../../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import type { Clock, Moment } from "../../platform/clock.js";
import type { Database } from "../../platform/database/database.js";
import { WHOLE_LIST } from "../../platform/database/list-query.js";
import { jwkWeakness } from "../../platform/secrets/key-strength.js";
import { isoTime } from "../leeway.js";
import {
  listDays,
  newestRefused,
  type LoginDay,
  type RefusedLogin,
} from "../login-records/login-record-store.js";
import { reasonOf } from "../provider-checks/check.js";
import { isOfSettings } from "../published/document-sources.js";
import { listDocuments, type FailedFetch, type StoredDocument } from "../published/document-store.js";
import { fingerprintOf } from "../saml/provider-certificates.js";
import type { SamlReader } from "../saml/saml-reader.js";

export interface ProviderHealthDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: {
    readonly list: (idpId: string, query: typeof WHOLE_LIST) => Promise<readonly StoredProtocol[]>;
    readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol>;
  };
  readonly shadowUsers: { readonly countUsers: (idpId: string) => Promise<number> };
  readonly reader: Pick<SamlReader, "readMetadata">;
}

export interface ProviderKey {
  /** `kid`, or the fingerprint of a certificate. */
  readonly id: string;
  readonly algorithm: string;
  /** `undefined` where the provider names no end. */
  readonly expiresAt: Moment | undefined;
  /** Why it is not used; `undefined` if it is. */
  readonly fault: string | undefined;
}

export interface ProtocolHealth extends ProtocolKey {
  readonly type: string | null;
  readonly status: "healthy" | "attention" | "disabled" | "unknown";
  /** What needs attention, in words. */
  readonly problems: readonly string[];
  readonly documents: readonly Pick<StoredDocument, "kind" | "readAt">[];
  readonly failed: readonly FailedFetch[];
  readonly keys: readonly ProviderKey[];
  readonly validUntil: Moment | undefined;
  readonly days: readonly LoginDay[];
  readonly lastRefused: RefusedLogin | undefined;
}

export interface ProviderHealth {
  readonly id: string;
  readonly enabled: boolean;
  /** Who would be deleted with the provider, if they have no other. */
  readonly userCount: number;
  readonly protocols: readonly ProtocolHealth[];
}

const DAY_MS = 86_400_000;
/** Keys that expire within this time need attention. */
const SOON_MS = 30 * DAY_MS;
/** Keys that are shown. */
const MAX_KEYS = 50;

export function createProviderHealth(deps: ProviderHealthDeps) {
  const { database, clock } = deps;

  return async (idpId: string): Promise<ProviderHealth> => {
    const provider = await deps.identityProviders.get(idpId);
    const protocols = await deps.protocols.list(idpId, WHOLE_LIST);
    const [published, days] = [await listDocuments(database, idpId), await listDays(database, idpId)];
    const shown: ProtocolHealth[] = [];
    for (const { id } of protocols) {
      const key = { idpId, id };
      const protocol = await deps.protocols.getOpened(key);
      const isHere = (of: { readonly protocolId: string }) => of.protocolId === id;
      const ofAnySettings = published.documents.filter(isHere);
      // Those of former settings stay in the database until others replace them.
      const isCurrent = isOfSettings(
        { settings: protocol.opened, remoteIds: provider.remoteIds },
        ofAnySettings,
      );
      const documents = ofAnySettings.filter(isCurrent);
      const failed = published.failed.filter(isHere).filter(isCurrent);
      const found = await findKeys(deps, { provider, protocol, documents });
      const problems = problemsOf({ ...found, failed }, clock.now());
      const ofProtocol = days.filter(isHere);
      const isKnown = documents.length > 0 || found.keys.length > 0 || ofProtocol.length > 0;
      const status = problems.length > 0 ? "attention" : isKnown ? "healthy" : "unknown";
      shown.push({
        ...key,
        type: protocol.settings?.type ?? null,
        status: provider.enabled ? status : "disabled",
        problems,
        documents: documents.map(({ kind, readAt }) => ({ kind, readAt })),
        failed,
        keys: found.keys,
        validUntil: found.validUntil,
        days: ofProtocol,
        lastRefused: await newestRefused(database, key),
      });
    }
    const userCount = await deps.shadowUsers.countUsers(idpId);
    return { id: idpId, enabled: provider.enabled, userCount, protocols: shown };
  };
}

export type ReadProviderHealth = ReturnType<typeof createProviderHealth>;

interface FoundKeys {
  readonly keys: readonly ProviderKey[];
  /** Of SAML metadata. */
  readonly validUntil: Moment | undefined;
  /** Why the keys can't be read. */
  readonly fault: string | undefined;
}

interface KeySource {
  readonly provider: IdentityProvider;
  readonly protocol: OpenedProtocol;
  readonly documents: readonly StoredDocument[];
}

const NO_KEYS: FoundKeys = { keys: [], validUntil: undefined, fault: undefined };

async function findKeys(deps: Pick<ProviderHealthDeps, "reader">, source: KeySource): Promise<FoundKeys> {
  try {
    const { opened } = source.protocol;
    if (opened?.type === "saml2") return await samlKeysOf(deps, source);
    if (opened?.type === "openid") return { ...NO_KEYS, keys: openIdKeysOf(source) };
    return NO_KEYS;
  } catch (error) {
    return { ...NO_KEYS, fault: reasonOf(error) };
  }
}

function openIdKeysOf({ protocol: { opened }, documents }: KeySource): ProviderKey[] {
  const inline = opened?.type === "openid" ? opened.jwks?.keys : undefined;
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

async function samlKeysOf(
  { reader }: Pick<ProviderHealthDeps, "reader">,
  { provider, protocol: { opened }, documents }: KeySource,
): Promise<FoundKeys> {
  if (opened?.type !== "saml2") return NO_KEYS;
  const kept = documents.find(({ kind }) => kind === "metadata")?.content;
  const xml = opened.idp_metadata_xml ?? kept;
  const metadata =
    xml === undefined
      ? undefined
      : await reader.readMetadata({ xml, remoteIds: provider.remoteIds, isRetry: true });
  const pinned = opened.idp_certificates?.map((pem) => new X509Certificate(pem));
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
  return { keys: [...keys, ...weak].slice(0, MAX_KEYS), validUntil: metadata?.validUntil, fault: undefined };
}

const WORDS: Readonly<Record<StoredDocument["kind"], string>> = {
  metadata: "metadata",
  discovery: "the discovery document",
  jwks: "the keys (jwks_uri)",
  "workload-jwks": "the keys of workloads (jwks_uri)",
};

function problemsOf(
  { keys, validUntil, fault, failed }: FoundKeys & { readonly failed: readonly FailedFetch[] },
  now: Moment,
): string[] {
  const expired = keys.filter(({ expiresAt = Infinity }) => expiresAt <= now);
  const expiring = keys.filter(({ expiresAt = Infinity }) => expiresAt > now && expiresAt <= now + SOON_MS);
  return [
    ...failed.map(
      ({ kind, reason, failingSince }) =>
        `${WORDS[kind]} can't be read since ${isoTime(failingSince)}: ${reason}`,
    ),
    ...(fault === undefined ? [] : [fault]),
    ...(validUntil !== undefined && validUntil <= now + SOON_MS
      ? [`the metadata ${validUntil <= now ? "expired" : "expires"} at ${isoTime(validUntil)}`]
      : []),
    ...expired.map(
      ({ id, expiresAt = 0 }) => `the certificate of key ${id} expired at ${isoTime(expiresAt)}`,
    ),
    ...expiring.map(
      ({ id, expiresAt = 0 }) => `the certificate of key ${id} expires at ${isoTime(expiresAt)}`,
    ),
  ];
}
