/**
 * What a token shows and what it rests on: its user, what it is for, and the roles that the user has there at present. A token
 * has none of this in itself, so that it never shows what is no longer so.
 */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Credentials } from "../policy/credentials.js";
import type { TokenFederation, TokenScope } from "./token-payload.js";

/** Somebody's or something's id and name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** What a token can be for, with the names that it shows. */
export type ScopeFacts =
  | { readonly kind: "unscoped" }
  | { readonly kind: "system" }
  | { readonly kind: "domain"; readonly domain: Named }
  | {
      readonly kind: "project";
      readonly project: Named & { readonly isDomain: boolean; readonly domain: Named };
    };

export interface TokenFacts {
  readonly user: Named & { readonly domain: Named; readonly passwordExpiresAt: Moment | null };
  readonly scope: ScopeFacts;
  /** Those that the user has there; none without a scope. */
  readonly roles: readonly Named[];
  /** The groups of the token that an identity provider has named, as far as their time has not ended. */
  readonly groupIds: readonly string[];
  /** When the first of these groups ends (`authorization_ttl`); left out where they last as long as the token. */
  readonly groupsEndAt?: Moment;
  /** The same for the checks of permissions. */
  readonly credentials: Credentials;
}

/** Facts, or why a token can't stand on them: for the log. */
export type TokenStanding = GoodStanding | { readonly fault: string };

/** Facts that a token can stand on. */
export interface GoodStanding {
  readonly facts: TokenFacts;
  /** The revocation position from before they were read: each change up to that one is in them. */
  readonly position: number;
}

/** Whom a token is of, and what it is for. */
export interface TokenSubject {
  readonly userId: string;
  readonly scope: TokenScope;
  readonly federation?: TokenFederation | undefined;
}

/** What is asked of the other features. */
export interface TokenFactsDeps {
  readonly database: Pick<Database, "revision">;
  readonly users: {
    readonly findUser: (reference: { readonly id: string }) => Promise<
      | (Named & {
          readonly domainId: string;
          readonly enabled: boolean;
          readonly passwordExpiresAt: Moment | null;
        })
      | undefined
    >;
  };
  /** When the user's memberships in groups end that an identity provider has named for a time, by the groups' ids. */
  readonly membershipEnds: (userId: string) => Promise<ReadonlyMap<string, Moment>>;
  readonly protocols: {
    /** Whether a protocol exists, and its identity provider is enabled. */
    readonly isEnabled: (key: { readonly idpId: string; readonly id: string }) => Promise<boolean>;
  };
  readonly revocations: { readonly known: () => Promise<{ readonly position: number }> };
  readonly clock: Clock;
  readonly projects: {
    readonly findDomain: (reference: {
      readonly id: string;
    }) => Promise<(Named & { readonly enabled: boolean }) | undefined>;
    readonly findProject: (reference: { readonly id: string }) => Promise<
      | (Named & {
          readonly domainId: string | null;
          readonly isDomain: boolean;
          readonly enabled: boolean;
        })
      | undefined
    >;
  };
  readonly roles: {
    readonly effectiveRoles: (
      actor: { readonly userId: string; readonly groupIds: readonly string[] },
      target: Exclude<TokenScope, { readonly kind: "unscoped" }>,
    ) => Promise<readonly Named[]>;
  };
}

export interface TokenFactsReader {
  /** What holds at present, as remembered since the last change. */
  read(subject: TokenSubject): Promise<TokenStanding>;
}

/** Subjects that are remembered: some kilobytes each. */
const MAX_SUBJECTS = 10_000;
/** Facts are read again after this time, so that their position stays among those that events are known of. */
const MAX_FACTS_AGE_MS = 3_600_000;

export function createTokenFacts(deps: TokenFactsDeps): TokenFactsReader {
  const cache = createRevisionCache<RememberedStanding>({
    revision: () => deps.database.revision("facts"),
    maxEntries: MAX_SUBJECTS,
    // What is not there yet may be made without any notice.
    keeps: ({ standing }) => "facts" in standing,
    // Memberships end without anybody doing anything.
    isGood: ({ goodUntil }) => deps.clock.now() < goodUntil,
  });
  const find = async (subject: TokenSubject): Promise<RememberedStanding> => {
    const { position } = await deps.revocations.known();
    const now = deps.clock.now();
    const ends = await deps.membershipEnds(subject.userId);
    const toCome = [...ends.values()].filter((end) => end > now);
    const found = await findOut(deps, subject, groupsInForce(subject, ends, now));
    return {
      standing: "fault" in found ? found : { ...found, position },
      goodUntil: Math.min(...toCome, now + MAX_FACTS_AGE_MS),
    };
  };
  return {
    read: async (subject) => (await cache.get(keyOf(subject), () => find(subject))).standing,
  };
}

interface RememberedStanding {
  readonly standing: TokenStanding;
  readonly goodUntil: Moment;
}

function keyOf({ userId, scope, federation }: TokenSubject): string {
  const { identityProviderId, protocolId, groupIds } = federation ?? {};
  return JSON.stringify([userId, scope, groupIds ?? [], identityProviderId, protocolId]);
}

interface TokenGroups {
  readonly groupIds: readonly string[];
  readonly groupsEndAt?: Moment;
}

/** A group without an end lasts as long as the token that names it. */
function groupsInForce(
  { federation }: TokenSubject,
  ends: ReadonlyMap<string, Moment>,
  now: Moment,
): TokenGroups {
  const endOf = (id: string) => ends.get(id) ?? Infinity;
  const groupIds = (federation?.groupIds ?? []).filter((id) => now < endOf(id));
  const groupsEndAt = Math.min(...groupIds.map(endOf));
  return { groupIds, ...(groupsEndAt < Infinity && { groupsEndAt }) };
}

async function findOut(
  deps: TokenFactsDeps,
  subject: TokenSubject,
  groups: TokenGroups,
): Promise<{ readonly facts: TokenFacts } | { readonly fault: string }> {
  const user = await deps.users.findUser({ id: subject.userId });
  if (user === undefined) return { fault: "there is no such user" };
  if (!user.enabled) return { fault: "the user is disabled" };
  const domain = await deps.projects.findDomain({ id: user.domainId });
  if (domain?.enabled !== true) return { fault: "the user's domain is disabled" };

  if (!(await isProtocolEnabled(deps, subject)))
    return { fault: "the identity provider is disabled, or its protocol was deleted" };
  const scope = await findScope(deps, subject.scope);
  if ("fault" in scope) return scope;
  const roles = await findRoles(deps, subject, groups);
  if (roles.length === 0 && scope.kind !== "unscoped") return { fault: "the user has no role there" };
  return {
    facts: {
      user: { ...named(user), domain: named(domain), passwordExpiresAt: user.passwordExpiresAt },
      scope,
      roles: roles.map(named),
      ...groups,
      credentials: {
        userId: user.id,
        roles: roles.map(({ name }) => name),
        scope: credentialScope(scope),
      },
    },
  };
}

async function isProtocolEnabled(
  { protocols }: TokenFactsDeps,
  { federation }: TokenSubject,
): Promise<boolean> {
  if (federation === undefined) return true;
  return protocols.isEnabled({ idpId: federation.identityProviderId, id: federation.protocolId });
}

async function findScope(
  { projects }: TokenFactsDeps,
  scope: TokenScope,
): Promise<ScopeFacts | { readonly fault: string }> {
  if (scope.kind === "unscoped" || scope.kind === "system") return scope;
  if (scope.kind === "domain") {
    const domain = await projects.findDomain({ id: scope.domainId });
    return domain?.enabled === true
      ? { kind: "domain", domain: named(domain) }
      : { fault: "there is no such domain, or it is disabled" };
  }
  const project = await projects.findProject({ id: scope.projectId });
  if (project?.enabled !== true) return { fault: "there is no such project, or it is disabled" };
  // A domain that is looked at as a project is in itself.
  const domain = await projects.findDomain({ id: project.domainId ?? project.id });
  if (domain?.enabled !== true) return { fault: "the project's domain is disabled" };
  return {
    kind: "project",
    project: { ...named(project), isDomain: project.isDomain, domain: named(domain) },
  };
}

async function findRoles(
  { roles }: TokenFactsDeps,
  { userId, scope }: TokenSubject,
  { groupIds }: TokenGroups,
): Promise<readonly Named[]> {
  if (scope.kind === "unscoped") return [];
  return roles.effectiveRoles({ userId, groupIds }, scope);
}

function credentialScope(scope: ScopeFacts): Credentials["scope"] {
  if (scope.kind === "domain") return { kind: "domain", domainId: scope.domain.id };
  if (scope.kind !== "project") return scope;
  const { id, domain } = scope.project;
  return { kind: "project", projectId: id, projectDomainId: domain.id };
}

function named({ id, name }: Named): Named {
  return { id, name };
}
