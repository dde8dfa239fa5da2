/**
 * Revocation events: what ends tokens before their time.
 *
 * An event names some of a token's features, and ends every token that has all of them and was issued no later than a moment.
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
  /** Tokens issued later stay, but for one that `auditId` names. */
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

export interface RevocationIndexOptions {
  /**
   * How long after it was issued a token may still be asked about, in milliseconds: its life and the window in which expired
   * tokens are shown. Events that can concern no such token are dropped.
   */
  readonly retentionMs: number;
}

export interface RevocationIndex {
  /** Adds an event. One that differs from another in its moments alone takes its place, or gives way to it. */
  add(event: RevocationEvent): void;
  isRevoked(token: RevocableToken): boolean;
  /** Drops the events that can't concern any token that is still asked about. */
  prune(now: Moment): void;
  /** How many events there are. */
  readonly size: number;
}

/** An index of events; empty at first. */
export function createRevocationIndex({ retentionMs }: RevocationIndexOptions): RevocationIndex {
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
      const known = events.get(identity);
      if (known !== undefined && known.issuedBefore >= event.issuedBefore) return;
      events.set(identity, event);
      const place = placeOf(event);
      const there = places.get(place);
      if (there) there.add(identity);
      else places.set(place, new Set([identity]));
    },
    isRevoked(token) {
      for (const place of placesOf(token)) if (isRevokedFrom(place, token)) return true;
      return false;
    },
    prune(now) {
      for (const [identity, event] of events) {
        if (event.issuedBefore + retentionMs >= now) continue;
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
  // A token that is named itself has ended, even if the clock of the replica that made it is ahead of the one that ended it.
  if (event.auditId === undefined && token.issuedAt > event.issuedBefore) return false;
  if (event.expiresAt !== undefined && toSeconds(event.expiresAt) !== toSeconds(token.expiresAt))
    return false;
  return FEATURES.every((feature) => {
    const named = event[feature];
    return named === undefined || VALUES[feature](token).includes(named);
  });
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
  return JSON.stringify([...FEATURES.map((feature) => event[feature] ?? null), expires]);
}
