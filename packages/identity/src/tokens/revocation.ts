/**
 * Revocation events, and the index that matches tokens against them.
 *
 * An event names features of tokens, and revokes every token that has all of them and was proved before the event: the event's
 * position is behind the position at which the token's proof, or its scope, was read. No clock is involved.
 * The index stores an event under its rarest feature, so that a token is checked against few events.
 */
import type { Moment } from "../platform/clock.js";
import { createRevokedAuditIds } from "./revoked-audit-ids.js";

/** Revokes the tokens that have all of the features named; without any, all tokens. */
export interface RevocationEvent {
  readonly auditId?: string;
  /** A token and all that were issued for it, directly or indirectly. */
  readonly auditChainId?: string;
  readonly userId?: string;
  /** Tokens of this trust. */
  readonly trustId?: string;
  /** Tokens of this access token of OAuth 1.0a, or of this consumer. */
  readonly accessTokenId?: string;
  readonly consumerId?: string;
  /** Tokens for this project. */
  readonly projectId?: string;
  /** Tokens with this role. */
  readonly roleId?: string;
  /** Tokens for this domain itself. */
  readonly domainScopeId?: string;
  /** Tokens of users of this domain, for it, or for a project in it. */
  readonly domainId?: string;
  /** Tokens that rest on a login through this identity provider, and through this protocol of it. */
  readonly identityProviderId?: string;
  readonly protocolId?: string;
  /** Tokens that expire in this second. */
  readonly expiresAt?: Moment;
  /** Its place in the order of commits; absent if a process of the previous release wrote it. */
  readonly position?: number;
  /** If the event or the token has no position: tokens issued later stay valid, except one that `auditId` names. */
  readonly issuedBefore: Moment;
  readonly revokedAt: Moment;
}

/** The features of a token that events may name. */
export interface RevocableToken {
  readonly auditId: string;
  /** Its own audit id, if it is the first of its chain. */
  readonly auditChainId: string;
  readonly userId: string;
  readonly trustId?: string;
  /** The parties of a trust, of whom one is its user. */
  readonly trustUserIds?: readonly string[];
  /** Of OAuth 1.0a. */
  readonly accessTokenId?: string;
  readonly consumerId?: string;
  readonly userDomainId: string;
  readonly projectId?: string;
  /** The domain of the project of its scope. */
  readonly projectDomainId?: string;
  /** The domain of its scope. */
  readonly domainId?: string;
  /** The identity provider of the login. */
  readonly identityProviderId?: string;
  readonly protocolId?: string;
  readonly roleIds: readonly string[];
  readonly issuedAt: Moment;
  readonly expiresAt: Moment;
  /** Absent in tokens of the previous release. */
  readonly positions?: TokenPositions | undefined;
  /** Whether an imported Keystone issued it: its positions are those of the import. */
  readonly isImported?: boolean | undefined;
}

/** Positions in the order of commits: events after them revoke the token. */
export interface TokenPositions {
  /** Where the user's proof was read. A rescoped token has that of the first token. */
  readonly proof: number;
  /** Where the user's roles in the scope were read. */
  readonly scope: number;
}

/** The features, rarest first: an event is stored under the first that it names. */
const FEATURES = [
  "auditId",
  "auditChainId",
  "trustId",
  "accessTokenId",
  "consumerId",
  "userId",
  "projectId",
  "domainScopeId",
  "identityProviderId",
  "protocolId",
  "roleId",
  "domainId",
] as const;

type Feature = (typeof FEATURES)[number];

/** A token's values of each feature. */
const VALUES: Readonly<Record<Feature, (token: RevocableToken) => readonly (string | undefined)[]>> = {
  auditId: ({ auditId }) => [auditId],
  auditChainId: ({ auditChainId }) => [auditChainId],
  trustId: ({ trustId }) => [trustId],
  accessTokenId: ({ accessTokenId }) => [accessTokenId],
  consumerId: ({ consumerId }) => [consumerId],
  userId: ({ userId, trustUserIds }) => trustUserIds ?? [userId],
  projectId: ({ projectId }) => [projectId],
  domainScopeId: ({ domainId }) => [domainId],
  identityProviderId: ({ identityProviderId }) => [identityProviderId],
  protocolId: ({ protocolId }) => [protocolId],
  roleId: ({ roleIds }) => roleIds,
  domainId: ({ userDomainId, projectDomainId, domainId }) => [userDomainId, projectDomainId, domainId],
};

export interface RevocationIndex {
  /** Adds an event. Events that name the same features are merged. */
  add(event: RevocationEvent): void;
  isRevoked(token: RevocableToken): boolean;
  /** Revokes all tokens from before a position, and drops events up to it: some thousand of them with each call. */
  prune(position: number): void;
  readonly size: number;
}

/** Events that are dropped at a time. */
const MAX_DROPPED_EVENTS = 5000;

/** An empty index. */
export function createRevocationIndex(): RevocationIndex {
  let prunedTo = 0;
  /** Most events revoke one token, and name nothing else. */
  const auditIds = createRevokedAuditIds();
  /** The other events, by their rarest feature: one, or several by all features they name. Few features have several. */
  const places = new Map<string, RevocationEvent | Map<string, RevocationEvent>>();
  let atPlaces = 0;
  /** Where the next {@link sweep} goes on. */
  let swept = places.entries();
  /** How many events might have been dropped since `auditIds` was pruned. */
  let unpruned = 0;

  function isRevokedFrom(place: string, token: RevocableToken): boolean {
    const there = places.get(place);
    if (there === undefined) return false;
    if (!(there instanceof Map)) return concerns(there, token);
    for (const event of there.values()) if (concerns(event, token)) return true;
    return false;
  }

  function addAtPlace(event: RevocationEvent): void {
    const place = placeOf(event);
    const there = places.get(place);
    if (there === undefined) {
      places.set(place, event);
      atPlaces++;
      return;
    }
    const all = there instanceof Map ? there : new Map([[identityOf(there), there]]);
    const identity = identityOf(event);
    const other = all.get(identity);
    const merged = latest(event, other);
    all.set(identity, merged);
    if (other === undefined) atPlaces++;
    places.set(place, all.size === 1 ? merged : all);
  }

  /** Drops old events among the next places. */
  function sweep(count: number): void {
    for (let index = 0; index < count; index++) {
      const { done, value } = swept.next();
      if (done === true) {
        swept = places.entries();
        return;
      }
      dropOld(...value);
    }
  }

  function dropOld(place: string, there: RevocationEvent | Map<string, RevocationEvent>): void {
    const isOld = ({ position = Infinity }: RevocationEvent) => position <= prunedTo;
    if (there instanceof Map) {
      for (const [identity, event] of there) if (isOld(event) && there.delete(identity)) atPlaces--;
      if (there.size === 0) places.delete(place);
    } else if (isOld(there) && places.delete(place)) atPlaces--;
  }

  return {
    add(event) {
      const { auditId, position } = event;
      const isSimple = auditId !== undefined && position !== undefined && position > 0 && namesOne(event);
      if (!isSimple || !auditIds.add(auditId, position)) addAtPlace(event);
    },
    isRevoked(token) {
      // Dropped events may have revoked it.
      if (token.positions !== undefined && token.positions.proof < prunedTo) return true;
      if (auditIds.has(token.auditId)) return true;
      for (const place of placesOf(token)) if (isRevokedFrom(place, token)) return true;
      return false;
    },
    prune(position) {
      prunedTo = Math.max(prunedTo, position);
      // Some at a time: a token from before is revoked in any case.
      unpruned += MAX_DROPPED_EVENTS;
      if (unpruned >= auditIds.size) {
        auditIds.prune(prunedTo);
        unpruned = 0;
      }
      sweep(MAX_DROPPED_EVENTS);
    },
    get size() {
      return auditIds.size + atPlaces;
    },
  };
}

/** Whether an event names one feature only. */
function namesOne(event: RevocationEvent): boolean {
  if (event.expiresAt !== undefined) return false;
  let count = 0;
  for (const feature of FEATURES) if (event[feature] !== undefined) count++;
  return count === 1;
}

/** Whether an event revokes a token. */
export function concerns(event: RevocationEvent, token: RevocableToken): boolean {
  if (event.expiresAt !== undefined && toSeconds(event.expiresAt) !== toSeconds(token.expiresAt))
    return false;
  const isMeant = FEATURES.every((feature) => {
    const named = event[feature];
    return named === undefined || VALUES[feature](token).includes(named);
  });
  // A token named by its audit id is revoked, whenever it was issued.
  return isMeant && (event.auditId !== undefined || isLater(event, token));
}

/** Whether the event came after the token's proof or scope was read. */
function isLater(event: RevocationEvent, token: RevocableToken): boolean {
  const isLaterByTime = token.issuedAt <= event.issuedBefore;
  if (event.position === undefined || token.positions === undefined) return isLaterByTime;
  // An imported token was issued before its positions: events up to them may revoke it.
  if (token.isImported === true && isLaterByTime) return true;
  return event.position > readAt(event, token, token.positions);
}

/** The position of the token that an event is compared with. */
function readAt(
  { projectId, domainScopeId, roleId, domainId }: RevocationEvent,
  { userDomainId }: RevocableToken,
  { proof, scope }: TokenPositions,
): number {
  if (projectId !== undefined || domainScopeId !== undefined || roleId !== undefined) return scope;
  if (domainId === undefined) return proof;
  // The domain may be both the user's and the project's.
  return domainId === userDomainId ? Math.min(proof, scope) : scope;
}

/** Merges two events that name the same features. */
function latest(event: RevocationEvent, other: RevocationEvent = event): RevocationEvent {
  const later = (event.position ?? 0) > (other.position ?? 0) ? event : other;
  return { ...later, issuedBefore: Math.max(event.issuedBefore, other.issuedBefore) };
}

function toSeconds(moment: Moment): number {
  return Math.floor(moment / 1000);
}

const ANYWHERE = "";

function placeOf(event: RevocationEvent): string {
  for (const feature of FEATURES) {
    const named = event[feature];
    if (named !== undefined) return `${feature} ${named}`;
  }
  return ANYWHERE;
}

function* placesOf(token: RevocableToken): Generator<string> {
  for (const feature of FEATURES)
    for (const value of VALUES[feature](token)) if (value !== undefined) yield `${feature} ${value}`;
  yield ANYWHERE;
}

function identityOf(event: RevocationEvent): string {
  const expires = event.expiresAt === undefined ? null : toSeconds(event.expiresAt);
  const hasPosition = event.position !== undefined;
  return JSON.stringify([...FEATURES.map((feature) => event[feature] ?? null), expires, hasPosition]);
}
