/**
 * Revocation events: what ends tokens before their time.
 *
 * An event names some of a token's features, and ends every token that has all of them and rests on what was so before the event:
 * its position is behind the one at which the token's proof, or what it is for, was read. No clock takes part in that.
 * Events lie under the rarest feature they name, so that a token is held against the few that may concern it.
 */
import type { Moment } from "../platform/clock.js";

/** What ends tokens. A feature that is left out is one that doesn't matter; without any, it ends all tokens. */
export interface RevocationEvent {
  readonly auditId?: string;
  /** Of a token and all that were had for it, one through another. */
  readonly auditChainId?: string;
  readonly userId?: string;
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
  /** Tokens that expire in this second, in whatever millisecond. */
  readonly expiresAt?: Moment;
  /** Where it stands in the order of commits; absent where a process of the release before has written it. */
  readonly position?: number;
  /** Where the event or the token has no position: tokens issued later stay, but for one that `auditId` names. */
  readonly issuedBefore: Moment;
  readonly revokedAt: Moment;
}

/** The features of a token that events may name. */
export interface RevocableToken {
  readonly auditId: string;
  /** Its own audit id, where it is the first of its chain. */
  readonly auditChainId: string;
  readonly userId: string;
  readonly userDomainId: string;
  readonly projectId?: string;
  /** The domain of the project that it is for. */
  readonly projectDomainId?: string;
  /** The domain that it is for. */
  readonly domainId?: string;
  /** Through whom its user has logged in. */
  readonly identityProviderId?: string;
  readonly protocolId?: string;
  readonly roleIds: readonly string[];
  readonly issuedAt: Moment;
  readonly expiresAt: Moment;
  /** Absent where the token is of the release before. */
  readonly positions?: TokenPositions | undefined;
}

/** Up to which events a token was made, in the order of commits: it is ended by those behind. */
export interface TokenPositions {
  /** When the proof was read of who the user is. A token that was had for another has that of the first. */
  readonly proof: number;
  /** When it was read that the user may have what the token is for. */
  readonly scope: number;
}

/** Where an event lies: the first of these features that it names, the rarest first. */
const FEATURES = [
  "auditId",
  "auditChainId",
  "userId",
  "projectId",
  "domainScopeId",
  "identityProviderId",
  "protocolId",
  "roleId",
  "domainId",
] as const;

type Feature = (typeof FEATURES)[number];

/** The values a token has for each feature. */
const VALUES: Readonly<Record<Feature, (token: RevocableToken) => readonly (string | undefined)[]>> = {
  auditId: ({ auditId }) => [auditId],
  auditChainId: ({ auditChainId }) => [auditChainId],
  userId: ({ userId }) => [userId],
  projectId: ({ projectId }) => [projectId],
  domainScopeId: ({ domainId }) => [domainId],
  identityProviderId: ({ identityProviderId }) => [identityProviderId],
  protocolId: ({ protocolId }) => [protocolId],
  roleId: ({ roleIds }) => roleIds,
  domainId: ({ userDomainId, projectDomainId, domainId }) => [userDomainId, projectDomainId, domainId],
};

export interface RevocationIndex {
  /** Adds an event. One that names the same as another becomes one with it, which reaches as far as either. */
  add(event: RevocationEvent): void;
  isRevoked(token: RevocableToken): boolean;
  /** Drops the events up to a position, and has all tokens end that rest on what was so before it. */
  prune(position: number): void;
  /** How many events there are. */
  readonly size: number;
}

/** An index of events; empty at first. */
export function createRevocationIndex(): RevocationIndex {
  let prunedTo = 0;
  /** By what an event names, spelled out: the event that reaches furthest. */
  const events = new Map<string, RevocationEvent>();
  /** By a feature and its value: the events that lie there. */
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
      events.set(identity, further(event, events.get(identity)));
      const place = placeOf(event);
      const there = places.get(place);
      if (there) there.add(identity);
      else places.set(place, new Set([identity]));
    },
    isRevoked(token) {
      // What has ended it may be among the events that are no longer known.
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

/** Whether an event ends a token. */
export function concerns(event: RevocationEvent, token: RevocableToken): boolean {
  if (event.expiresAt !== undefined && toSeconds(event.expiresAt) !== toSeconds(token.expiresAt))
    return false;
  const isMeant = FEATURES.every((feature) => {
    const named = event[feature];
    return named === undefined || VALUES[feature](token).includes(named);
  });
  // A token that is named itself has ended, whenever it was made.
  return isMeant && (event.auditId !== undefined || isLater(event, token));
}

/** Whether what the event has changed was read for the token before. */
function isLater(event: RevocationEvent, token: RevocableToken): boolean {
  if (event.position === undefined || token.positions === undefined)
    return token.issuedAt <= event.issuedBefore;
  return event.position > readAt(event, token, token.positions);
}

/** The position at which it was read for a token what an event has changed. */
function readAt(
  { projectId, domainScopeId, roleId, domainId }: RevocationEvent,
  { userDomainId }: RevocableToken,
  { proof, scope }: TokenPositions,
): number {
  if (projectId !== undefined || domainScopeId !== undefined || roleId !== undefined) return scope;
  if (domainId === undefined) return proof;
  // The user's domain may be that of the project too.
  return domainId === userDomainId ? Math.min(proof, scope) : scope;
}

/** Two events that name the same, as one. */
function further(event: RevocationEvent, other: RevocationEvent = event): RevocationEvent {
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
