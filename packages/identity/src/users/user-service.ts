/** The rules for users. */
import { changedOptions, checkSameDomain, extraOf } from "../platform/attributes.js";
import type { Clock } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { deleteOfDomain } from "../platform/database/delete-in-slices.js";
import type { NewId } from "../platform/ids.js";
import type { ExactReference } from "../platform/references.js";
import { nameFault } from "../platform/text/name-characters.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { replaceIdentities, type FederatedIdentitiesDeps } from "./federated/federated-identities.js";
import { groupIdsOf } from "../groups/membership-store.js";
import { hashNewPassword, storeNewPassword } from "./new-password.js";
import type { PasswordHasher } from "../passwords/password-hash.js";
import { isInactive, NO_FAILURES, type PasswordRules } from "../passwords/password-rules.js";
import { checkNewRules, type OfferedMethods } from "./multi-factor-rules.js";
import { listPasswords } from "../passwords/password-store.js";
import { findShadowUser, identitiesOf } from "./federated/shadow-user-store.js";
import { DefaultProjectError, NoPasswordHereError, UserExistsError, UserNameError } from "./user-errors.js";
import type { NewUser, UserChange } from "./user-schema.js";
import {
  deleteUser,
  findUser,
  findUserByName,
  forgetDefaultProject,
  insertUser,
  listUsers,
  requireUser,
  setFailures,
  updateUser,
  type FederatedIdentity,
  type User,
  type UserQuery,
} from "./user-store.js";

/** Members of a body that are not stored as attributes; some of them Keystone never shows. */
const KNOWN = [
  "id",
  "name",
  "domain_id",
  "enabled",
  "default_project_id",
  "options",
  "links",
  "federated",
  "extra",
  "password",
  "original_password",
  "password_expires_at",
  "tenants",
  "groups",
  "domains",
];

export interface UserServiceDeps extends FederatedIdentitiesDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
    findDomain(reference: { readonly id: string }): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
  /** Called in the transaction that deletes a user, before it is deleted. */
  readonly onUserDeleted: (transaction: Queries, userId: string) => Promise<void>;
  /** The methods that multi-factor rules may name. */
  readonly methods: OfferedMethods;
}

/** A user that has to exist. */
export interface EnsuredUser {
  readonly name: string;
  readonly domainId: string;
  readonly password: string;
}

export type UserService = ReturnType<typeof createUserService>;

/** Restricts the links of users to providers. */
export interface Linking {
  /** The only domain whose providers are allowed; any, if left out. */
  readonly onlyDomainId?: string | undefined;
}

export function createUserService(deps: UserServiceDeps) {
  const { database, newId, clock, hasher, rules, projects, revokeTokens, onUserDeleted, methods } = deps;

  /** Users who are inactive for too long are disabled. */
  function asOfNow(user: User): User {
    const isAway = isInactive(rules, user, { now: clock.now(), exceptions: user.options });
    return isAway ? { ...user, enabled: false } : user;
  }

  async function checkDefaultProject(id: string | null | undefined): Promise<void> {
    if (id && (await projects.findDomain({ id })) !== undefined) throw new DefaultProjectError(id);
  }

  async function create(draft: NewUser, { onlyDomainId }: Linking = {}): Promise<User> {
    await projects.getDomain(draft.domain_id);
    await checkDefaultProject(draft.default_project_id);
    const password =
      draft.password === undefined
        ? undefined
        : await hashNewPassword(deps, draft.password, { isSelfService: false });
    const user: User = {
      id: newId(),
      name: checkedName(draft.name),
      domainId: draft.domain_id,
      enabled: draft.enabled ?? true,
      defaultProjectId: draft.default_project_id ?? null,
      options: changedOptions({}, draft.options),
      extra: extraOf(draft, KNOWN),
      createdAt: clock.now(),
      lastActiveAt: null,
      passwordExpiresAt: null,
    };
    return database.transaction(
      async (transaction) => {
        await checkNewRules(transaction, user.options, { known: {}, methods });
        await insertUser(transaction, user, { conflict: () => new UserExistsError(user.name, user) });
        const { federated = [] } = draft;
        if (federated.length > 0)
          await replaceIdentities(deps, transaction, { userId: user.id, federated, onlyDomainId });
        if (password === undefined) return user;
        const facts = { userId: user.id, exceptions: user.options, ...password };
        const { expiresAt } = await storeNewPassword(deps, transaction, facts);
        return { ...user, passwordExpiresAt: expiresAt };
      },
      { changes: [] },
    );
  }

  /**
   * Enabling, or a password that an administrator sets, unlocks the account. Disabling, a new password and other identities at
   * providers revoke its tokens.
   */
  async function update(id: string, change: UserChange, { onlyDomainId }: Linking = {}): Promise<User> {
    const stored = await requireUser(database, id);
    checkSameDomain(stored, change);
    const name = change.name === undefined ? stored.name : checkedName(change.name, stored.name);
    await checkDefaultProject(change.default_project_id);
    const password =
      change.password === undefined
        ? undefined
        : await hashNewPassword(deps, change.password, { isSelfService: false });
    const hasOtherLogins = password !== undefined || change.federated !== undefined;

    return database.transaction(
      async (transaction) => {
        const user = await requireUser(transaction, id);
        if (password !== undefined && (await findShadowUser(transaction, id)) !== undefined)
          throw new NoPasswordHereError();
        let changed: User = {
          ...user,
          name: change.name === undefined ? user.name : name,
          enabled: change.enabled ?? user.enabled,
          defaultProjectId:
            change.default_project_id === undefined ? user.defaultProjectId : change.default_project_id,
          options: changedOptions(user.options, change.options),
          extra: { ...user.extra, ...extraOf(change, KNOWN) },
          lastActiveAt: change.enabled === true ? clock.now() : user.lastActiveAt,
        };
        await checkNewRules(transaction, changed.options, { known: user.options, methods });
        await updateUser(transaction, changed, () => new UserExistsError(changed.name));
        if (password !== undefined) {
          const facts = { userId: id, exceptions: changed.options, ...password };
          const { expiresAt } = await storeNewPassword(deps, transaction, facts);
          changed = { ...changed, passwordExpiresAt: expiresAt };
        }
        const { federated } = change;
        if (federated !== undefined)
          await replaceIdentities(deps, transaction, { userId: id, federated, onlyDomainId });
        if (change.enabled === true || password !== undefined)
          await setFailures(transaction, id, NO_FAILURES);
        if (hasOtherLogins || (user.enabled && !changed.enabled))
          await revokeTokens(transaction, { userId: id });
        return asOfNow(changed);
      },
      { changes: hasOtherLogins || change.enabled === false ? ["facts", "revocations"] : ["facts"] },
    );
  }

  return {
    async list(query: UserQuery): Promise<User[]> {
      return (await listUsers(database.forLists, query)).map(asOfNow);
    },

    /** @throws {UserNotFoundError} */
    getUser: async (id: string): Promise<User> => asOfNow(await requireUser(database, id)),

    async findUser(reference: ExactReference): Promise<User | undefined> {
      const user = await ("id" in reference
        ? findUser(database, reference.id)
        : findUserByName(database, reference));
      return user && asOfNow(user);
    },

    /** The federated identities of a user. */
    identitiesOf: async (id: string): Promise<readonly FederatedIdentity[]> =>
      (await identitiesOf(database, [id])).get(id) ?? [],

    /** The groups of which a user is a permanent member; none for a user who does not exist. */
    groupIdsOf: (id: string): Promise<string[]> => groupIdsOf(database, id),

    create,
    update,

    delete: (id: string): Promise<void> =>
      database.transaction(
        async (transaction) => {
          await requireUser(transaction, id);
          await revokeTokens(transaction, { userId: id });
          await onUserDeleted(transaction, id);
          await deleteUser(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      ),

    /** Creates, enables or changes a user so that it is enabled and has this password; a no-op if it has. */
    async ensureUser({ name, domainId, password }: EnsuredUser): Promise<User> {
      const user = await findUserByName(database, { name, domainId });
      if (user === undefined) return create({ name, domain_id: domainId, password });
      const present = (await listPasswords(database, user.id)).at(-1);
      const { matches } = await hasher.verify(password, present?.hash);
      if (matches && asOfNow(user).enabled) return user;
      return update(user.id, { enabled: true, ...(matches ? {} : { password }) });
    },

    /** Called in the transaction that deletes a project: no user keeps it as the default. */
    forgetDefaultProject: (transaction: Queries, projectId: string): Promise<void> =>
      forgetDefaultProject(transaction, projectId),

    /** Deletes the users of a domain in the transaction that deletes the domain. */
    deleteOfDomain: (transaction: Queries, domainId: string): Promise<void> =>
      deleteOfDomain(transaction, "user", domainId, onUserDeleted),
  };
}

/**
 * A new name without surrounding blanks. A stored name is not checked again.
 *
 * @throws {UserNameError} It has an invisible or reordering character.
 */
function checkedName(given: string, stored?: string): string {
  const name = given.trim();
  const fault = name === stored ? undefined : nameFault(name);
  if (fault !== undefined) throw new UserNameError(fault);
  return name;
}
