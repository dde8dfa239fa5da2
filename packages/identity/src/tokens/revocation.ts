/**
 * Revocation events, and the index that matches tokens against them.
 *
 * An event names features of tokens, and revokes every token that has all of them and was proved before the event: the event's
 * position is behind the position at which the token's proof, or its scope, was read. No clock is involved.
 * The index stores an event under its rarest feature, so that a token is checked against few events.
 */
import type { Moment } from "../platform/clock.js";

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
  /** Drops the events up to a position, and revokes all tokens from before it. */
  prune(position: number): void;
  readonly size: number;
}

/** An empty index. */
export function createRevocationIndex(): RevocationIndex {
  let prunedTo = 0;
  /** By the features named: the latest event. */
  const events = new Map<string, RevocationEvent>();
  /** By a feature and its value: the keys of `events`. */
  const places = new Map<string, Set<string>>();

  function isRevokedFrom(place: string, token: RevocableToken): boolean {
    for (const identity of places.get(place) ?? []) {
      const event = events.get(identity);
      if (event !== undefined && concerns(event, token)) return true;
    }
    return false;
  }

  return {
    add(event) {
      const identity = identityOf(event);
      events.set(identity, latest(event, events.get(identity)));
      const place = placeOf(event);
      const there = places.get(place);
      if (there) there.add(identity);
      else places.set(place, new Set([identity]));
    },
    isRevoked(token) {
      // Dropped events may have revoked it.
      if (token.positions !== undefined && token.positions.proof < prunedTo) return true;
      for (const place of placesOf(token)) if (isRevokedFrom(place, token)) return true;
      return false;
    },
    prune(position) {
      if (position <= prunedTo) return;
      prunedTo = position;
      for (const [identity, event] of events) {
        if (event.position === undefined || event.position > position) continue;
        events.delete(identity);
        const place = placeOf(event);
        const there = places.get(place);
        there?.delete(identity);
        if (there?.size === 0) places.delete(place);
      }
    },
    get size() {
      return events.size;
    },
  };
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
