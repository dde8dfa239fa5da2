/** The health of an identity provider: what it publishes, its keys, and its logins. From the database: all replicas see the same. */
import type { Platform } from "../../area.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import {
  failuresOf,
  listChecks,
  type LastCheck,
} from "../../identity-providers/protocols/protocol-check-store.js";
import type { ProtocolFinding } from "../../identity-providers/protocols/protocol-report.js";
import type { OpenedProtocol } from "../../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import { DAY_MS, type Moment } from "../../platform/clock.js";
import { WHOLE_LIST } from "../../platform/database/table.js";
import { ifFound } from "../../platform/errors.js";
import {
  failedByMapping,
  listDays,
  listFailing,
  newestFailed,
  type LoginDay,
  type FailedByMapping,
  type FailedLogin,
} from "../failed-logins/failed-login-store.js";
import { isoTime } from "../leeway.js";
import type { ProtocolType, FoundKeys, ProviderKey, ProtocolTypes } from "../protocols/protocol-type.js";
import { reasonOf } from "../provider-checks/check.js";
import { MAPPING_CHECKS, type MappedProtocol } from "../provider-checks/mapping-checks.js";
import {
  isAmong,
  listDocuments,
  listFailingProviders,
  type FailedFetch,
  type StoredDocument,
} from "../published/document-store.js";

export interface ProviderHealthDeps extends Pick<Platform, "database" | "clock"> {
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: {
    readonly list: (idpId: string, query: typeof WHOLE_LIST) => Promise<readonly StoredProtocol[]>;
    readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol>;
  };
  readonly shadowUsers: { readonly countUsers: (idpId: string) => Promise<number> };
  readonly types: Pick<ProtocolTypes, "find">;
  /** The findings about a protocol's mapping, which no request is sent for. */
  readonly checkMapping: (protocol: MappedProtocol) => Promise<readonly ProtocolFinding[]>;
}

export interface ProtocolHealth extends ProtocolKey {
  readonly type: string | null;
  readonly status: "healthy" | "attention" | "disabled" | "unknown";
  /** What needs attention, in words. */
  readonly problems: readonly string[];
  /** Whether logins need what the provider publishes. */
  readonly readsDocuments: boolean;
  readonly documents: readonly Pick<StoredDocument, "kind" | "readAt">[];
  readonly failed: readonly FailedFetch[];
  readonly keys: readonly ProviderKey[];
  readonly validUntil: Moment | undefined;
  readonly days: readonly LoginDay[];
  readonly lastFailed: FailedLogin | undefined;
  /** Of the settings in force. */
  readonly lastCheck: LastCheck | undefined;
}

export interface ProviderHealth {
  readonly id: string;
  readonly enabled: boolean;
  /** Who would be deleted with the provider, if they have no other. */
  readonly userCount: number;
  readonly protocols: readonly ProtocolHealth[];
}

/** Keys that expire within this time need attention. */
const SOON_MS = 30 * DAY_MS;
/** Of types without keys. */
const NO_KEYS = Promise.resolve<FoundKeys>({ keys: [] });

/** What a provider publishes for a protocol, as it was read last. */
export interface PublishedHealth {
  readonly protocol: StoredProtocol;
  readonly type: ProtocolType | undefined;
  readonly readsDocuments: boolean;
  readonly documents: readonly StoredDocument[];
  readonly failed: readonly FailedFetch[];
  readonly keys: readonly ProviderKey[];
  readonly validUntil: Moment | undefined;
  /** Why the keys can't be read. */
  readonly fault: string | undefined;
}

export function createPublishedHealth(
  deps: Omit<ProviderHealthDeps, "shadowUsers" | "clock" | "checkMapping">,
) {
  return async (idpId: string): Promise<readonly PublishedHealth[]> => {
    const { remoteIds } = await deps.identityProviders.get(idpId);
    const protocols = await deps.protocols.list(idpId, WHOLE_LIST);
    const published = await listDocuments(deps.database, idpId);
    const shown: PublishedHealth[] = [];
    for (const protocol of protocols) {
      const { settings } = await deps.protocols.getOpened({ idpId, id: protocol.id });
      const isHere = (of: { readonly protocolId: string }) => of.protocolId === protocol.id;
      const ofAnySettings = published.documents.filter(isHere);
      // Those of former settings stay in the database until others replace them.
      const type = deps.types.find(settings);
      const sources = type?.documentSources?.(settings, { remoteIds, documents: ofAnySettings }) ?? {};
      const isCurrent = isAmong(sources);
      const documents = ofAnySettings.filter(isCurrent);
      shown.push({
        protocol,
        type,
        readsDocuments: Object.values(sources).some((source) => source !== undefined),
        documents,
        failed: published.failed.filter(isHere).filter(isCurrent),
        ...(await readKeys(type?.findKeys?.(settings, { remoteIds, documents }) ?? NO_KEYS)),
      });
    }
    return shown;
  };
}

export function createProviderHealth(deps: ProviderHealthDeps) {
  const { database, clock } = deps;
  const readPublished = createPublishedHealth(deps);

  return async (idpId: string): Promise<ProviderHealth> => {
    const provider = await deps.identityProviders.get(idpId);
    const { enabled, remoteIds } = provider;
    const published = await readPublished(idpId);
    const days = await listDays(database, idpId);
    const checks = await listChecks(database, idpId);
    const shown: ProtocolHealth[] = [];
    for (const each of published) {
      const { documents, failed, keys, validUntil, readsDocuments, type } = each;
      const key = { idpId, id: each.protocol.id };
      const ofProtocol = days.filter(({ protocolId }) => protocolId === key.id);
      const stored = checks.find((check) => check.id === key.id);
      const lastCheck =
        stored &&
        withCurrent(
          stored,
          await deps.checkMapping({
            ...each.protocol,
            provider,
            hasOwnUserIds: each.protocol.settings !== null && type?.hasOwnUserIds?.(each.protocol.settings),
          }),
        );
      const now = clock.now();
      const lastProvedAt = Math.max(0, ...ofProtocol.map((day) => day.lastProvedAt ?? 0));
      const failing = await failedByMapping(database, key, Math.max(lastProvedAt, now - DAY_MS));
      const problems = [
        ...problemsOf({ ...each, documents: type?.documents }, now),
        ...failedChecks(lastCheck, { remoteIds, failed, lastProvedAt, isFailing: failing !== undefined }),
        ...failedLogins(failing),
      ];
      const isKnown = documents.length > 0 || keys.length > 0 || ofProtocol.length > 0;
      const status = problems.length > 0 ? "attention" : isKnown ? "healthy" : "unknown";
      shown.push({
        ...key,
        type: each.protocol.settings?.type ?? null,
        status: enabled ? status : "disabled",
        problems,
        readsDocuments,
        documents: documents.map(({ kind, readAt }) => ({ kind, readAt })),
        failed,
        keys,
        validUntil,
        days: ofProtocol,
        lastFailed: await newestFailed(database, key),
        lastCheck,
      });
    }
    const userCount = await deps.shadowUsers.countUsers(idpId);
    return { id: idpId, enabled, userCount, protocols: shown };
  };
}

export type ReadProviderHealth = ReturnType<typeof createProviderHealth>;

/** Providers whose health is read for the list of those that need attention. */
const MAX_LISTED = 20;

/** Protocols of enabled providers whose last check, download or login failed, and what needs attention there. */
export async function listProblems(
  { database, clock }: Pick<Platform, "database" | "clock">,
  read: ReadProviderHealth,
): Promise<Pick<ProtocolHealth, "idpId" | "id" | "problems">[]> {
  const checked = (await listChecks(database)).filter((check) => failuresOf(check).length > 0);
  const ids = new Set([
    ...checked.map(({ idpId }) => idpId),
    ...(await listFailingProviders(database)),
    ...(await listFailing(database, clock.now() - DAY_MS)),
  ]);
  const found = [];
  for (const id of [...ids].slice(0, MAX_LISTED)) {
    const health = await ifFound(read(id));
    for (const protocol of health?.protocols ?? []) if (protocol.status === "attention") found.push(protocol);
  }
  return found.map(({ idpId, id, problems }) => ({ idpId, id, problems }));
}

/** The findings of a check, those about the mapping as they are now: rules, groups and domains change without a check. */
function withCurrent(check: LastCheck, current: readonly ProtocolFinding[]): LastCheck {
  const others = check.checks.filter((finding) => !isOfMapping(finding));
  return { ...check, checks: [...current, ...others] };
}

const isOfMapping = ({ check }: ProtocolFinding): boolean => MAPPING_CHECKS.has(check);

/**
 * What the last check found wrong, unless a later login succeeded; not what is reported as a failing download. Findings about the mapping
 * are current, and a login that succeeded before it was changed proves nothing.
 */
function failedChecks(
  check: LastCheck | undefined,
  known: {
    readonly remoteIds: readonly string[];
    readonly failed: readonly FailedFetch[];
    readonly lastProvedAt: Moment;
    /** Whether the mapping has rejected later logins than the last one that succeeded. */
    readonly isFailing: boolean;
  },
): string[] {
  if (check === undefined) return [];
  const isProved = known.lastProvedAt > check.checkedAt;
  const at = ` (check of ${isoTime(Math.floor(check.checkedAt / 1000) * 1000)})`;
  return failuresOf(check)
    .filter((finding) => !isProved || (known.isFailing && isOfMapping(finding)))
    .filter((finding) => !known.failed.some(({ kind }) => kind === finding.check))
    .filter(({ proposal }) => !known.remoteIds.includes(proposal?.remote_id ?? ""))
    .map((finding) => `${finding.check}${isOfMapping(finding) ? "" : at}: ${finding.message}`);
}

/** One user may be rejected for good; several, and none between them who was not, are a mistake in the mapping. */
const MIN_USERS = 2;

function failedLogins(failing: FailedByMapping | undefined): string[] {
  if (failing === undefined || failing.users < MIN_USERS) return [];
  const { users, since, reason } = failing;
  return [
    `no login succeeds since ${isoTime(Math.floor(since / 1000) * 1000)}: ${users} users were rejected by ${reason}`,
  ];
}

type ReadKeys = Pick<PublishedHealth, "keys" | "validUntil" | "fault">;

async function readKeys(reading: Promise<FoundKeys>): Promise<ReadKeys> {
  try {
    const { keys, validUntil } = await reading;
    return { keys, validUntil, fault: undefined };
  } catch (error) {
    return { keys: [], validUntil: undefined, fault: reasonOf(error) };
  }
}

function problemsOf(
  {
    keys,
    validUntil,
    fault,
    failed,
    documents,
  }: Pick<PublishedHealth, "keys" | "validUntil" | "fault" | "failed"> & Pick<ProtocolType, "documents">,
  now: Moment,
): string[] {
  const expired = keys.filter(({ expiresAt = Infinity }) => expiresAt <= now);
  const expiring = keys.filter(({ expiresAt = Infinity }) => expiresAt > now && expiresAt <= now + SOON_MS);
  return [
    ...failed.map(
      ({ kind, reason, failingSince }) =>
        `${documents?.[kind]?.name ?? kind} can't be read since ${isoTime(failingSince)}: ${reason}`,
    ),
    ...(fault === undefined ? [] : [fault]),
    ...(validUntil !== undefined && validUntil <= now + SOON_MS
      ? [`the metadata ${validUntil <= now ? "expired" : "expires"} at ${isoTime(validUntil)}`]
      : []),
    ...certificateProblems(expired, "expired"),
    ...certificateProblems(expiring, "expires"),
  ];
}

/** Certificates that a problem names, of a federation with many. */
const MAX_NAMED = 5;

function certificateProblems(keys: readonly ProviderKey[], verb: "expired" | "expires"): string[] {
  const named = keys.slice(0, MAX_NAMED).map(({ id, entity, expiresAt = 0 }) => {
    const owner = entity === undefined ? "" : ` of ${entity}`;
    return `the certificate of key ${id}${owner} ${verb} at ${isoTime(expiresAt)}`;
  });
  const left = keys.length - named.length;
  return left > 0
    ? [...named, `${left} more certificates ${verb === "expired" ? "expired" : "expire"}`]
    : named;
}
