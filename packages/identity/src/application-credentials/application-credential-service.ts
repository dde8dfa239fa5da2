/** The rules for application credentials. */
import type { Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import { MAX_PASSWORD_BYTES, type PasswordHasher } from "../passwords/password-hash.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import { orConflict } from "../platform/database/table.js";
import { ifFound } from "../platform/errors.js";
import { expiryMoment, readExpiry } from "../platform/expiry.js";
import { randomBytes } from "../platform/ids.js";
import type { AccessRule } from "../policy/access-rule-matching.js";
import type { Credentials } from "../policy/caller.js";
import { requireMayManageApplicationCredentials } from "../policy/delegation-rejections.js";
import { ensureAccessRule } from "./access-rule-service.js";
import { linkRule, type UserAccessRule } from "./access-rule.js";
import {
  ApplicationCredentialExistsError,
  ProjectScopeNeededError,
  SecretTooLongError,
  TooManyApplicationCredentialsError,
  UnassignedRoleError,
  UnkeptRoleError,
  UnknownRoleNameError,
  applicationCredentialTable,
  countOf,
  deleteWithRole,
  findByName,
  insertCredentialRoles,
  listApplicationCredentials,
  withParts,
  type NewApplicationCredential,
  type ApplicationCredential,
  type ApplicationCredentialQuery,
  type FullApplicationCredential,
} from "./application-credential.js";

export interface ApplicationCredentialServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly hasher: Pick<PasswordHasher, "hash">;
  readonly roles: Pick<RoleServices["roles"], "findRolesByName" | "effectiveRoles">;
  /** `undefined` for any number. */
  readonly maxPerUser: number | undefined;
}

/** A credential as its creation shows it: the secret is shown once. */
export interface CreatedApplicationCredential extends FullApplicationCredential {
  readonly secret: string;
}

/** How a login names a credential. */
export type ApplicationCredentialReference =
  | { readonly id: string }
  | { readonly userId: string; readonly name: string };

export type ApplicationCredentialService = ReturnType<typeof createApplicationCredentialService>;

/** Of a generated secret: 86 characters. */
const SECRET_BYTES = 64;

export function createApplicationCredentialService(deps: ApplicationCredentialServiceDeps) {
  const { database, newId, clock, hasher, roles, maxPerUser } = deps;

  /** The ids of the roles that a draft asks for, all of the token by default. */
  async function rolesFor(
    { roles: references = [] }: NewApplicationCredential,
    {
      userId,
      projectId,
      held,
    }: { readonly userId: string; readonly projectId: string; readonly held: readonly string[] },
  ): Promise<readonly string[]> {
    const asked = references.flatMap(({ name }) => name ?? []);
    const known = (await roles.findRolesByName([...held, ...asked])).filter(
      ({ domainId }) => domainId === null,
    );
    const unknown = asked.find((name) => !known.some((role) => role.name === name));
    if (unknown !== undefined) throw new UnknownRoleNameError(unknown);
    const ofToken = known.filter(({ name }) => held.includes(name));
    const wanted = new Set(
      references.length === 0
        ? ofToken.map(({ id }) => id)
        : references.map(({ id, name }) => id ?? known.find((role) => role.name === name)?.id ?? ""),
    );
    const only = [...wanted];
    if (!only.every((id) => ofToken.some((role) => role.id === id))) throw new UnassignedRoleError();
    const effective = await roles.effectiveRoles(
      { userId, groupIds: [] },
      { kind: "project", projectId },
      { only },
    );
    // Roles of a token may come from a provider's groups, of which the user is no member: later logins would not have them.
    const isKept = (id: string) => effective.some((role) => role.id === id);
    if (effective.length === 0 || (references.length > 0 && !only.every(isKept)))
      throw new UnkeptRoleError(
        ofToken.filter(({ id }) => wanted.has(id) && !isKept(id)).map(({ name }) => name),
      );
    return only.filter(isKept);
  }

  async function insert(
    transaction: Transaction,
    credential: ApplicationCredential,
    {
      roleIds,
      rules,
    }: { readonly roleIds: readonly string[]; readonly rules: NewApplicationCredential["access_rules"] },
  ): Promise<FullApplicationCredential> {
    const { id, userId, name } = credential;
    const conflict = () => new ApplicationCredentialExistsError(name);
    if (maxPerUser !== undefined && (await countOf(transaction, userId)) >= maxPerUser)
      throw new TooManyApplicationCredentialsError(maxPerUser);
    await applicationCredentialTable.insert(transaction, credential, conflict);
    await insertCredentialRoles(transaction, id, roleIds);
    for (const draft of rules ?? []) {
      const rule = await ensureAccessRule(transaction, { userId, draft, newId });
      await orConflict(() => linkRule(transaction, id, rule.id), conflict);
    }
    const [full] = await withParts(transaction, [credential]);
    return full as FullApplicationCredential;
  }

  async function get(id: string): Promise<FullApplicationCredential> {
    const [full] = await withParts(database, [await applicationCredentialTable.require(database, id)]);
    return full as FullApplicationCredential;
  }

  return {
    list: (query: ApplicationCredentialQuery): Promise<FullApplicationCredential[]> =>
      listApplicationCredentials(database, query),

    /** @throws {ApplicationCredentialNotFoundError} */
    get,

    find: (reference: ApplicationCredentialReference): Promise<ApplicationCredential | undefined> =>
      "id" in reference
        ? applicationCredentialTable.find(database, reference.id)
        : findByName(database, reference),

    /** Creates a credential of the caller, for the project of the caller's token. */
    async create(
      draft: NewApplicationCredential,
      caller: Credentials,
    ): Promise<CreatedApplicationCredential> {
      requireMayManageApplicationCredentials(caller);
      if (caller.scope.kind !== "project") throw new ProjectScopeNeededError();
      const { userId, roles: held } = caller;
      const { projectId } = caller.scope;
      const { name, description = null, system = null, expires_at: expiry, unrestricted = null } = draft;
      const expiresAt = typeof expiry === "string" ? readExpiry(expiry, clock.now()) : null;
      const roleIds = await rolesFor(draft, { userId, projectId, held });
      const secret = draft.secret || randomBytes(SECRET_BYTES).toString("base64url");
      if (Buffer.byteLength(secret) > MAX_PASSWORD_BYTES) throw new SecretTooLongError();
      const secretHash = await hasher.hash(secret);
      const own = { id: newId(), name, secretHash, description, system, expiresAt, unrestricted };
      const parts = { roleIds, rules: draft.access_rules };
      const full = await database.transaction(
        (transaction) => insert(transaction, { ...own, userId, projectId }, parts),
        { changes: [] },
      );
      return { ...full, secret };
    },

    delete: (id: string, caller: Credentials): Promise<void> => {
      requireMayManageApplicationCredentials(caller);
      return database.transaction(async (transaction) => {
        await applicationCredentialTable.require(transaction, id);
        await applicationCredentialTable.delete(transaction, id);
      });
    },

    /** Called in the transaction that deletes a role, before its grants are deleted. */
    deleteWithRole: (transaction: Queries, roleId: string): Promise<void> =>
      deleteWithRole(transaction, roleId),

    /** The limits of tokens that were obtained by a credential, or why it gives none. */
    async readDelegation(
      id: string,
      {
        userId,
        scope,
      }: { readonly userId: string; readonly scope: { readonly kind: string; readonly projectId?: string } },
    ) {
      const credential = await ifFound(get(id));
      if (credential === undefined) return { fault: "application-credential-unknown" as const };
      const { name, ownRoleIds, accessRules, expiresAt, unrestricted } = credential;
      if (credential.userId !== userId || credential.projectId !== scope.projectId)
        return { fault: "application-credential-foreign" as const };
      const facts = {
        id,
        name,
        isRestricted: unrestricted !== true,
        ...(accessRules.length > 0 && { accessRules: accessRules.map(ruleFacts) }),
      };
      return {
        roles: { ids: ownRoleIds },
        expiresAt: expiresAt === null ? null : expiryMoment(expiresAt),
        facts: { applicationCredential: facts },
      };
    },
  };
}

/** Without its owner. */
function ruleFacts({ id, service, path, method }: UserAccessRule): AccessRule {
  return { id, service, path, method };
}
