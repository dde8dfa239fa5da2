/** The rules for trusts: creation, redelegation, deletion, and what limits their tokens. */
import type { Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import { extraOf } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import { required } from "../platform/errors.js";
import { expiryMoment, readExpiry } from "../platform/expiry.js";
import type { LoginReason } from "../platform/login-reasons.js";
import type { Credentials } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { ProjectService } from "../projects/project-service.js";
import type { Role } from "../roles/role.js";
import type { UserService } from "../users/user-service.js";
import { narrowed, requireRedelegable, type RedelegationSettings } from "./redelegation.js";
import {
  deletePastTrusts,
  insertTrustRoles,
  listTrusts,
  readChain,
  redelegatedIds,
  roleIdsOf,
  rolesOf,
  type TrustQuery,
} from "./trust-store.js";
import { findUsable, takeUse } from "./trust-uses.js";
import {
  ForeignTrustError,
  NoRolesError,
  TrustedRoleNameError,
  TrustedRoleNotFoundError,
  TrustExistsError,
  TrustNotFoundError,
  UsesWithRedelegationError,
  TRUST_MEMBERS,
  trustTable,
  type NewTrust,
  type Trust,
} from "./trust.js";

export interface TrustServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly redelegation: RedelegationSettings;
  /** How long trusts are listed after their end: none of their tokens can be validated any more. */
  readonly retentionMs: number;
  readonly users: Pick<UserService, "getUser" | "findUser">;
  readonly projects: Pick<ProjectService, "getProject" | "findDomain">;
  readonly roles: Pick<RoleServices["roles"], "findRolesByName" | "effectiveRoles">;
}

/** A trust with its roles. */
export interface FullTrust extends Trust {
  readonly roles: readonly Role[];
}

export type TrustService = ReturnType<typeof createTrustService>;

export function createTrustService(deps: TrustServiceDeps) {
  const { database, newId, clock, redelegation, retentionMs, users, projects, roles } = deps;

  /** @throws {TrustNotFoundError} */
  const get = (id: string): Promise<Trust> =>
    required(findUsable(database, id, clock.now()), () => new TrustNotFoundError(id));

  async function withRoles(trust: Trust): Promise<FullTrust> {
    return { ...trust, roles: (await rolesOf(database, [trust.id])).get(trust.id) ?? [] };
  }

  /** The trust of the caller's token, the first of its chain last; none for another token. */
  async function sourceOf({ delegation }: Credentials): Promise<readonly Trust[]> {
    const id = delegation?.by.trustId;
    return id === undefined ? [] : readChain(database, id);
  }

  /** The ids of the roles that a draft names, once each. */
  async function requestedIds({ roles: references = [] }: NewTrust): Promise<string[]> {
    if (references.length === 0) throw new NoRolesError();
    const found = await roles.findRolesByName(references.flatMap(({ name }) => name ?? []));
    const idOf = (name = "") => {
      const named = found.filter((each) => each.name === name);
      const role =
        named.find(({ domainId }) => domainId === null) ?? (named.length === 1 ? named[0] : undefined);
      if (role === undefined) throw new TrustedRoleNameError(name);
      return role.id;
    };
    return [...new Set(references.map(({ id, name }) => id ?? idOf(name)))];
  }

  /** @throws {TrustedRoleNotFoundError} The user does not have one of the roles on the project. */
  async function requireRoles(ids: readonly string[], userId: string, projectId: string): Promise<void> {
    const missing = await firstMissing(ids, userId, projectId);
    if (missing !== undefined) throw new TrustedRoleNotFoundError(missing);
  }

  async function firstMissing(
    ids: readonly string[],
    userId: string,
    projectId: string,
  ): Promise<string | undefined> {
    const held = await roles.effectiveRoles(
      { userId, groupIds: [] },
      { kind: "project", projectId },
      // A trust may have the role of a domain: its tokens have what that one implies.
      { only: ids, withDomainRoles: true },
    );
    return ids.find((id) => !held.some((role) => role.id === id));
  }

  /** Why a user may not pass on or receive roles. */
  async function userFault(id: string): Promise<InvalidTrust | undefined> {
    const user = await users.findUser({ id });
    if (user?.enabled !== true) return { fault: "trust-user-disabled", isForbidden: true };
    const domain = await projects.findDomain({ id: user.domainId });
    return domain?.enabled === true ? undefined : { fault: "trust-user-domain-disabled" };
  }

  return {
    list: (query: TrustQuery): Promise<Trust[]> => listTrusts(database, query),

    get: async (id: string): Promise<FullTrust> => withRoles(await get(id)),

    /** The parties of a trust. @throws {TrustNotFoundError} */
    getParties: get,

    /** A trust that a login may use, if it exists. */
    find: (id: string): Promise<Trust | undefined> => findUsable(database, id, clock.now()),

    /** Takes one of the remaining uses. @returns Whether there was one. */
    takeUse: (id: string): Promise<boolean> => takeUse(database, id, clock.now()),

    /** Creates a trust of the caller; with a token of a trust, one that passes that trust on. */
    async create(draft: NewTrust, caller: Credentials): Promise<FullTrust> {
      rejectDelegated("trusts", caller);
      const { trustee_user_id: trusteeId, impersonation, expires_at: expiry } = draft;
      const { remaining_uses: remainingUses = null } = draft;
      // As in Keystone, a trust may have no project, and no roles then: it gives no token.
      const projectId = (draft.project_id ?? "") === "" ? null : (draft.project_id ?? null);
      await users.getUser(trusteeId);
      if (projectId !== null) await projects.getProject(projectId);
      const end = typeof expiry === "string" ? readExpiry(expiry, clock.now()) : undefined;
      const expiresAt = end === undefined ? null : expiryMoment(end);
      const chain = await sourceOf(caller);
      const [source] = chain;
      const redelegationCount = requireRedelegable(draft, source, redelegation);
      if (redelegationCount > 0 && remainingUses !== null) throw new UsesWithRedelegationError();
      const hasNone = projectId === null && (draft.roles ?? []).length === 0;
      const roleIds = hasNone ? [] : await requestedIds(draft);
      const from = source && { source, roleIds: await roleIdsOf(database, source.id) };
      // Of the first trustor: who passes a trust on needs no roles of the own.
      const holderId = chain.at(-1)?.trustorId ?? caller.userId;
      if (projectId !== null) await requireRoles(roleIds, holderId, projectId);
      else if (roleIds[0] !== undefined) throw new TrustedRoleNotFoundError(roleIds[0]);
      const trust: Trust = {
        ...narrowed({ projectId, remainingUses, expiresAt, roleIds, impersonation }, from),
        id: newId(),
        trustorId: caller.userId,
        trusteeId,
        expiresMicros: end === undefined ? (source?.expiresMicros ?? null) : Number(end.slice(-3)),
        redelegationCount,
        deletedAt: null,
        extra: extraOf(draft, TRUST_MEMBERS),
      };
      await database.transaction(
        async (transaction) => {
          const before = clock.now() - retentionMs;
          await deletePastTrusts(transaction, { trustorId: trust.trustorId, before });
          await trustTable.insert(transaction, trust, () => new TrustExistsError(trust.id));
          await insertTrustRoles(transaction, trust.id, roleIds);
        },
        { changes: [] },
      );
      return withRoles(trust);
    },

    /** Deletes a trust and all that were redelegated from it. */
    async delete(id: string, caller: Credentials): Promise<void> {
      const own = caller.delegation?.by.trustId;
      await database.transaction(async (transaction) => {
        const chain = await readChain(transaction, id);
        if (own !== undefined && !chain.some((trust) => trust.id === own)) throw new ForeignTrustError();
        // Each has its event, as in Keystone.
        const ids = await redelegatedIds(transaction, id);
        if (ids.length === 0) throw new TrustNotFoundError(id);
        for (const each of ids)
          try {
            await trustTable.delete(transaction, each);
          } catch (error) {
            // Another request has deleted one of the others.
            if (each === id || !(error instanceof TrustNotFoundError)) throw error;
          }
      });
    },

    /** The limits of tokens of a trust, or why it gives none. Every link of its chain has to be valid. */
    async readDelegation(
      id: string,
      {
        userId,
        scope,
      }: { readonly userId: string; readonly scope: { readonly kind: string; readonly projectId?: string } },
    ) {
      const chain = await readChain(database, id);
      const [trust] = chain;
      if (trust === undefined) return { fault: "trust-unknown" as const };
      if (chain.some(({ deletedAt }) => deletedAt !== null)) return { fault: "trust-deleted" as const };
      if (trust.remainingUses === 0) return { fault: "trust-used-up" as const };
      const { trustorId, trusteeId, projectId, impersonation } = trust;
      if (projectId === null) return { fault: "trust-no-project" as const };
      if (userId !== bearerOf(trust) || scope.projectId !== projectId)
        return { fault: "trust-foreign" as const };
      const userIds = [...new Set(chain.flatMap((each) => [each.trustorId, each.trusteeId]))];
      for (const each of userIds) {
        const fault = await userFault(each);
        if (fault !== undefined) return fault;
      }
      const ids = await roleIdsOf(database, id);
      const holderId = chain.at(-1)?.trustorId ?? trustorId;
      if ((await firstMissing(ids, holderId, projectId)) !== undefined)
        return { fault: "trust-roles-lost" as const, isForbidden: true };
      const facts = { id, impersonation, trustorId, trusteeId, userIds };
      return { roles: { ids, holderId }, expiresAt: endOf(chain), facts: { trust: facts } };
    },
  };
}

/** Why a trust gives no token. */
export interface InvalidTrust {
  readonly fault: Extract<LoginReason, `trust-${string}`>;
  readonly isForbidden?: boolean;
}

/** The user of a trust's tokens. */
export function bearerOf({ impersonation, trustorId, trusteeId }: Trust): string {
  return impersonation ? trustorId : trusteeId;
}

/** When the first link of a chain expires; `null` if none does. */
function endOf(chain: readonly Trust[]): Moment | null {
  const endsAt = Math.min(...chain.map(({ expiresAt }) => expiresAt ?? Infinity));
  return endsAt === Infinity ? null : endsAt;
}
