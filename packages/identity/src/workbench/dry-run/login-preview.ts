/**
 * What a login would result in: the user, groups, projects and roles. By the functions of a login, which plans before it writes; nothing
 * is written.
 */
import type { Platform } from "../../area.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import { listHeldRoles, type HeldRole } from "../../grants/held-roles.js";
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";
import type { FinishedIdentity } from "../../mappings/rules/mapped-identity.js";
import type { Queries } from "../../platform/database/database.js";
import { placeKey } from "../../platform/database/domain-scoped-names.js";
import { ServiceError } from "../../platform/errors.js";
import { roleNames } from "../../roles/role.js";
import type { ShadowUsers } from "../../users/federated/shadow-users.js";
import {
  AssertionForbiddenError,
  AssertionRefusedError,
  type RefusalFacts,
} from "../../federation/federation-errors.js";
import type { LoginPlanDeps } from "../../federation/mapped/login-plan.js";
import {
  findReferences,
  type FoundReferences,
  type MappedReferencesDeps,
} from "../../federation/mapped/mapped-references.js";
import { explainMissing } from "../../federation/mapped/login-warnings.js";
import {
  findLocalUser,
  mapAssertion,
  nameUser,
  userFault,
  type LocalUserDeps,
} from "../../federation/mapped/mapped-user.js";

export interface PreviewedName {
  readonly id: string;
  readonly name: string;
}

/** The result of a login that was not made. */
export interface LoginPreview {
  readonly user: {
    /** Of a new user, the one that it would get. */
    readonly id: string;
    readonly name: string;
    readonly email: string | null;
    readonly domainId: string;
    readonly type: "ephemeral" | "local";
    /** The id at the provider, which tells users apart; `null` for a local user. */
    readonly uniqueId: string | null;
    /** Whether the login would create it. */
    readonly isNew: boolean;
  };
  readonly groups: readonly (PreviewedName & { readonly domainId: string })[];
  /** Groups by name that do not exist: the login ignores them. */
  readonly missingGroups: readonly {
    readonly name: string;
    readonly domain: string;
    readonly reason: string;
  }[];
  /** Projects of the mapping, with the roles that it grants in them. */
  readonly projects: readonly (PreviewedName & {
    readonly domainId: string;
    readonly isNew: boolean;
    readonly roles: readonly PreviewedName[];
  })[];
  /** Roles by the groups and, of a local user, its own; also implied ones. */
  readonly roles: readonly HeldRole[];
}

export type PreviewOutcome =
  | { readonly kind: "accepted"; readonly preview: LoginPreview }
  | { readonly kind: "refused"; readonly facts: RefusalFacts };

export interface LoginPreviewDeps extends Pick<Platform, "database" | "clock"> {
  readonly shadowUsers: Pick<ShadowUsers, "plan">;
  readonly users: LocalUserDeps["users"] & {
    readonly getUser: (
      id: string,
    ) => Promise<{ readonly id: string; readonly name: string; readonly domainId: string }>;
  };
  readonly groups: MappedReferencesDeps["groups"];
  readonly projects: LocalUserDeps["projects"] & MappedReferencesDeps["projects"] & LoginPlanDeps["projects"];
  readonly roles: MappedReferencesDeps["roles"];
}

export interface PreviewedLogin {
  readonly mapping: Mapping;
  /** Names the mapping in refusals. */
  readonly mappingId: string;
  readonly provider: IdentityProvider;
  readonly protocolId: string;
  readonly attributes: Assertion;
}

/** Roles of one preview. */
const MAX_ROLES = 5000;

export type PreviewLogin = (login: PreviewedLogin) => Promise<PreviewOutcome>;

/** Refusals are those of a login, except for the checks of the assertion itself, which come before the mapping. */
export function createLoginPreview(deps: LoginPreviewDeps): PreviewLogin {
  const { database, clock } = deps;

  async function localUser(
    { identity }: FinishedIdentity,
    { provider }: PreviewedLogin,
  ): Promise<LoginPreview> {
    const id = await findLocalUser(deps, identity.user, provider);
    const { name, domainId } = await deps.users.getUser(id);
    const roles = await listHeldRoles(database, { userIds: [id], now: clock.now() }, { limit: MAX_ROLES });
    const user = { id, name, email: null, domainId, type: "local", uniqueId: null, isNew: false } as const;
    return { user, groups: [], missingGroups: [], projects: [], roles };
  }

  async function shadowUser(
    finished: FinishedIdentity,
    { mapping, provider, protocolId, attributes }: PreviewedLogin,
  ): Promise<LoginPreview> {
    const named = nameUser(finished.identity.user, { attributes });
    const found = await findReferences(deps, finished, provider);
    const reasons = await explainMissing(deps, found.missingGroups);
    const { userId, isNew } = await deps.shadowUsers.plan(database, {
      ...named,
      idpId: provider.id,
      protocolId,
      domainId: found.domainId,
      isDomainFixed: mapping.hasOneDomain,
      groupIds: found.groupIds,
      groupsLifetimeMs: 0,
    });
    return {
      user: {
        id: userId,
        name: named.name,
        email: named.email ?? null,
        domainId: found.domainId,
        type: "ephemeral",
        uniqueId: named.uniqueId,
        isNew,
      },
      groups: (await deps.groups.findGroupsById(found.groupIds)).map(({ id, name, domainId }) => ({
        id,
        name,
        domainId,
      })),
      missingGroups: found.missingGroups.map(({ name, domain }, index) => ({
        name,
        domain: domain.id ?? domain.name ?? "",
        reason: reasons[index] ?? "",
      })),
      projects: await projectsOf(deps, database, found),
      roles: await listHeldRoles(database, { groupIds: found.groupIds }, { limit: MAX_ROLES }),
    };
  }

  return async (login) => {
    try {
      const finished = mapAssertion(login.mapping, login, login);
      const preview = finished.identity.user.type === "local" ? localUser : shadowUser;
      return { kind: "accepted", preview: await preview(finished, login) };
    } catch (failure) {
      return { kind: "refused", facts: refusalOf(failure) };
    }
  };
}

async function projectsOf(
  { projects }: Pick<LoginPreviewDeps, "projects">,
  queries: Queries,
  { projects: wanted }: FoundReferences,
): Promise<LoginPreview["projects"]> {
  if (wanted.length === 0) return [];
  const found = await projects.findProjectsIn(queries, wanted);
  const ids = new Map(
    found.map(({ id, name, domainId }) => [placeKey({ name, domainId: domainId ?? "" }), id]),
  );
  const names = await roleNames(queries, new Set(wanted.flatMap(({ roleIds }) => roleIds)));
  return wanted.map(({ name, domainId, roleIds }) => {
    const id = ids.get(placeKey({ name, domainId }));
    return {
      id: id ?? "",
      name,
      domainId,
      isNew: id === undefined,
      roles: roleIds.map((roleId) => ({ id: roleId, name: names.get(roleId)?.name ?? roleId })),
    };
  });
}

/** @throws What is no refusal of a login. */
function refusalOf(failure: unknown): RefusalFacts {
  if (failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError)
    return failure.facts;
  const reason = failure instanceof Error ? userFault(failure) : undefined;
  if (reason !== undefined) return { step: "user", reason };
  // Such as a domain or a role that does not exist. Those that a retry may help are no refusals.
  if (failure instanceof ServiceError && failure.kind !== "unavailable" && failure.kind !== "too-many")
    return { step: "references", reason: failure.message };
  throw failure;
}
