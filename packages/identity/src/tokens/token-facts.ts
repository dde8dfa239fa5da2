/**
 * What a token shows and rests on: its user, its scope, and the user's current roles there. A token holds none of this itself, so that
 * it never shows stale data.
 */
import type { Platform } from "../area.js";
import type { LoginReason } from "../platform/login-reasons.js";
import type { Moment } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Credentials } from "../policy/caller.js";
import type { DelegatedBy } from "../policy/delegation.js";
import {
  readDelegations,
  type ShownDelegation,
  type DelegationLimits,
  type DelegationReaders,
  type InvalidDelegation,
} from "./delegations.js";
import type { TokenFederation, TokenScope } from "./token-payload.js";

export interface NamedEntity {
  readonly id: string;
  readonly name: string;
}

/** A token's scope with the names that it shows. */
export type ShownScope =
  | { readonly kind: "unscoped" }
  | { readonly kind: "system" }
  | { readonly kind: "domain"; readonly domain: NamedEntity }
  | {
      readonly kind: "project";
      readonly project: NamedEntity & { readonly isDomain: boolean; readonly domain: NamedEntity };
    };

/** A role as a token shows it. */
export interface ShownRole extends NamedEntity {
  /** Shown by tokens of trusts alone. */
  readonly details?: {
    readonly domainId: string | null;
    readonly description: string | null;
    readonly options: object;
  };
}

export interface TokenFacts {
  readonly user: NamedEntity & { readonly domain: NamedEntity; readonly passwordExpiresAt: Moment | null };
  readonly scope: ShownScope;
  /** The user's roles in the scope; none without a scope. */
  readonly roles: readonly ShownRole[];
  /** The token's groups from the identity provider, without expired memberships. */
  readonly groupIds: readonly string[];
  /** When the first membership expires (`authorization_ttl`); `Infinity` if all last as long as the token. */
  readonly groupsEndAt: Moment;
  /** Of a delegated token. */
  readonly delegation?: ShownDelegation;
  /** When the first of its delegations expires; `Infinity` if none does. */
  readonly delegationEndsAt: Moment;
  /** The facts as permission checks read them, without the delegation, which depends on the token's methods too. */
  readonly credentials: Credentials;
}

/** The facts of a valid token, or why a token would be invalid: for the log. */
export type FoundFacts = ValidFacts | InvalidDelegation;

export interface ValidFacts {
  readonly facts: TokenFacts;
  /** The revocation position before they were read: they include every change up to it. */
  readonly position: number;
  /** From this time on they have to be read again, also without a change: memberships expire. */
  readonly validUntil: Moment;
}

/** The user and scope of a token. */
export interface TokenSubject {
  readonly userId: string;
  readonly scope: TokenScope;
  readonly federation?: TokenFederation | undefined;
  readonly delegation?: DelegatedBy | undefined;
}

/** The queries to other features. */
export interface TokenFactsDeps extends Pick<Platform, "clock"> {
  readonly database: Pick<Database, "revision">;
  readonly users: {
    readonly findUser: (reference: { readonly id: string }) => Promise<
      | (NamedEntity & {
          readonly domainId: string;
          readonly enabled: boolean;
          readonly passwordExpiresAt: Moment | null;
        })
      | undefined
    >;
  };
  /** When the user's expiring group memberships end, by group id. */
  readonly membershipEnds: (userId: string) => Promise<ReadonlyMap<string, Moment>>;
  readonly protocols: {
    /** Whether a protocol exists, and its identity provider is enabled. */
    readonly isEnabled: (key: { readonly idpId: string; readonly id: string }) => Promise<boolean>;
  };
  readonly revocations: { readonly known: () => Promise<{ readonly position: number }> };
  readonly projects: {
    readonly findDomain: (reference: {
      readonly id: string;
    }) => Promise<(NamedEntity & { readonly enabled: boolean }) | undefined>;
    readonly findProject: (reference: { readonly id: string }) => Promise<
      | (NamedEntity & {
          readonly domainId: string | null;
          readonly isDomain: boolean;
          readonly enabled: boolean;
        })
      | undefined
    >;
  };
  readonly roles: {
    /** @param options.only Those of these roles that the actor has, and what they imply; all, if left out. */
    readonly effectiveRoles: (
      actor: { readonly userId: string; readonly groupIds: readonly string[] },
      target: Exclude<TokenScope, { readonly kind: "unscoped" }>,
      options?: { readonly only?: readonly string[] | undefined },
    ) => Promise<readonly HeldRole[]>;
  };
  readonly delegations: DelegationReaders;
  /** When a user of a directory has to be looked up again; `Infinity` for others. Never, if left out. */
  readonly recheckAt?: ((userId: string) => Promise<Moment>) | undefined;
  /** As `reachesAllSecrets` of credentials; no, if left out. */
  readonly adminsReachAllSecrets?: boolean;
}

type HeldRole = NamedEntity & NonNullable<ShownRole["details"]>;

export interface TokenFactsReader {
  /** The current facts, cached until facts change. */
  read(subject: TokenSubject): Promise<FoundFacts>;
}

/** Cached subjects: some kilobytes each. */
const MAX_SUBJECTS = 10_000;
/** Cached facts are read again after this time, so that their position stays within the retention of events. */
const MAX_FACTS_AGE_MS = 3_600_000;

export function createTokenFacts(deps: TokenFactsDeps): TokenFactsReader {
  const cache = createRevisionCache<FoundFacts>({
    revision: () => deps.database.revision("facts"),
    maxEntries: MAX_SUBJECTS,
    // A missing entity may be created without a notice.
    keeps: (found) => "facts" in found,
    isValid: (found) => "facts" in found && deps.clock.now() < found.validUntil,
  });
  const find = async (subject: TokenSubject): Promise<FoundFacts> => {
    const { position } = await deps.revocations.known();
    const now = deps.clock.now();
    const ends = await deps.membershipEnds(subject.userId);
    const futureEnds = [...ends.values()].filter((end) => end > now);
    const found = await findFacts(deps, subject, unexpiredGroups(subject, ends, now));
    if ("fault" in found) return found;
    const { facts, roleHolderIds } = found;
    for (const id of roleHolderIds)
      for (const end of (await deps.membershipEnds(id)).values()) if (end > now) futureEnds.push(end);
    for (const id of [subject.userId, ...roleHolderIds])
      futureEnds.push((await deps.recheckAt?.(id)) ?? Infinity);
    const validUntil = Math.min(...futureEnds, facts.delegationEndsAt, now + MAX_FACTS_AGE_MS);
    return { facts, position, validUntil };
  };
  return { read: async (subject) => cache.get(keyOf(subject), () => find(subject)) };
}

function keyOf({ userId, scope, federation, delegation }: TokenSubject): string {
  const { identityProviderId, protocolId, groupIds, unstoredUser } = federation ?? {};
  const origin = [identityProviderId, protocolId, delegation, unstoredUser];
  return JSON.stringify([userId, scope, groupIds ?? [], ...origin]);
}

interface TokenGroups {
  readonly groupIds: readonly string[];
  readonly groupsEndAt: Moment;
}

/** A membership without an end lasts as long as the token. */
function unexpiredGroups(
  { federation }: TokenSubject,
  ends: ReadonlyMap<string, Moment>,
  now: Moment,
): TokenGroups {
  const endOf = (id: string) => ends.get(id) ?? Infinity;
  const groupIds = (federation?.groupIds ?? []).filter((id) => now < endOf(id));
  return { groupIds, groupsEndAt: Math.min(...groupIds.map(endOf)) };
}

async function findFacts(
  deps: TokenFactsDeps,
  subject: TokenSubject,
  groups: TokenGroups,
): Promise<{ readonly facts: TokenFacts; readonly roleHolderIds: readonly string[] } | InvalidDelegation> {
  const delegations = await findDelegations(deps, subject);
  if ("fault" in delegations) return delegations;
  const { unstoredUser } = subject.federation ?? {};
  const user =
    unstoredUser === undefined
      ? await deps.users.findUser({ id: subject.userId })
      : { ...unstoredUser, id: subject.userId, enabled: true, passwordExpiresAt: null };
  if (user === undefined) return { fault: "user-unknown" };
  if (!user.enabled) return { fault: "user-disabled" };
  const domain = await deps.projects.findDomain({ id: user.domainId });
  if (domain?.enabled !== true) return { fault: "user-domain-disabled" };

  if (!(await isProtocolEnabled(deps, subject))) return { fault: "provider-disabled" };
  const scope = await findScope(deps, subject.scope);
  if ("fault" in scope) return scope;
  const roles = await findRoles(deps, { ...subject, ...groups, limits: delegations.limits });
  if (roles.length === 0 && scope.kind !== "unscoped") return { fault: "no-role" };
  return {
    roleHolderIds: delegations.limits.flatMap((limit) => limit.roles?.holderId ?? []),
    facts: {
      user: {
        id: user.id,
        name: user.name,
        domain: named(domain),
        passwordExpiresAt: user.passwordExpiresAt,
      },
      scope,
      roles: delegations.shown.delegation?.trust === undefined ? roles.map(named) : roles.map(detailed),
      ...groups,
      ...delegations.shown,
      credentials: {
        userId: user.id,
        userDomainId: user.domainId,
        roles: roles.map(({ name }) => name),
        scope: credentialScope(scope),
        ...(unstoredUser !== undefined && { isUnstored: true }),
        ...(deps.adminsReachAllSecrets === true && { reachesAllSecrets: true }),
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
): Promise<ShownScope | { readonly fault: LoginReason }> {
  if (scope.kind === "unscoped" || scope.kind === "system") return scope;
  if (scope.kind === "domain") {
    const domain = await projects.findDomain({ id: scope.domainId });
    if (domain === undefined) return { fault: "scope-domain-unknown" };
    return domain.enabled ? { kind: "domain", domain: named(domain) } : { fault: "scope-domain-disabled" };
  }
  const project = await projects.findProject({ id: scope.projectId });
  if (project === undefined) return { fault: "scope-project-unknown" };
  if (!project.enabled) return { fault: "scope-project-disabled" };
  // A domain that acts as a project is its own domain.
  const domain = await projects.findDomain({ id: project.domainId ?? project.id });
  if (domain?.enabled !== true) return { fault: "scope-project-domain-disabled" };
  return {
    kind: "project",
    project: { ...named(project), isDomain: project.isDomain, domain: named(domain) },
  };
}

interface FoundDelegations {
  readonly limits: readonly DelegationLimits[];
  readonly shown: Pick<TokenFacts, "delegation" | "delegationEndsAt">;
}

async function findDelegations(
  { delegations, clock }: TokenFactsDeps,
  { delegation, ...subject }: TokenSubject,
): Promise<FoundDelegations | InvalidDelegation> {
  if (delegation === undefined) return { limits: [], shown: { delegationEndsAt: Infinity } };
  const limits = await readDelegations(delegations, delegation, subject);
  if ("fault" in limits) return limits;
  const endsAt = Math.min(...limits.map(({ expiresAt }) => expiresAt ?? Infinity));
  if (endsAt <= clock.now()) return { fault: expiredFault(delegation) };
  const facts: ShownDelegation = Object.assign({}, ...limits.map((limit) => limit.facts));
  return { limits, shown: { delegation: facts, delegationEndsAt: endsAt } };
}

function expiredFault({ applicationCredentialId, trustId, accessToken }: DelegatedBy): LoginReason {
  if (applicationCredentialId !== undefined) return "application-credential-expired";
  if (trustId !== undefined) return "trust-expired";
  return accessToken === undefined ? "delegation-expired" : "access-token-expired";
}

interface RoleSubject extends TokenSubject, TokenGroups {
  readonly limits: readonly DelegationLimits[];
}

/** The roles of the user; of a delegated token those that every delegation allows. */
async function findRoles(
  { roles }: TokenFactsDeps,
  { userId, scope, groupIds, limits }: RoleSubject,
): Promise<readonly HeldRole[]> {
  if (scope.kind === "unscoped") return [];
  const limited = limits.flatMap((limit) => limit.roles ?? []);
  if (limited.length === 0) return roles.effectiveRoles({ userId, groupIds }, scope);
  const [first = [], ...others] = await Promise.all(
    limited.map(({ ids, holderId }) => {
      // Groups of a federated login are of the user who logged in, not of another holder.
      const holder = holderId === undefined ? { userId, groupIds } : { userId: holderId, groupIds: [] };
      return roles.effectiveRoles(holder, scope, { only: ids });
    }),
  );
  return first.filter(({ id }) => others.every((allowed) => allowed.some((role) => role.id === id)));
}

function credentialScope(scope: ShownScope): Credentials["scope"] {
  if (scope.kind === "domain") return { kind: "domain", domainId: scope.domain.id };
  if (scope.kind !== "project") return scope;
  const { id, domain } = scope.project;
  return { kind: "project", projectId: id, projectDomainId: domain.id };
}

function named({ id, name }: NamedEntity): NamedEntity {
  return { id, name };
}

function detailed({ id, name, domainId, description, options }: HeldRole): ShownRole {
  return { id, name, details: { domainId, description, options } };
}
