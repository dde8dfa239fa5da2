/** The rules for users. */
import type { Platform } from "../area.js";
import { groupIdsOf } from "../groups/membership-store.js";
import { isInactive, NO_FAILURES } from "../passwords/account-lockout.js";
import { hashNewPassword, storeNewPassword } from "../passwords/new-password.js";
import { PasswordResetError } from "../passwords/password-errors.js";
import type { PasswordHasher } from "../passwords/password-hash.js";
import type { PasswordRules } from "../passwords/password-rules.js";
import { expirePassword, listPasswords } from "../passwords/password-store.js";
import { changedOptions, checkSameDomain, extraOf } from "../platform/attributes.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import { deleteOfDomain } from "../platform/database/delete-in-slices.js";
import type { ExactReference } from "../platform/database/domain-scoped-names.js";
import { nameFault } from "../platform/text/name-characters.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { replaceIdentities, type FederatedIdentitiesDeps } from "./federated/federated-identities.js";
import { findShadowUser, identitiesOf } from "./federated/shadow-user-store.js";
import { unavailableMethods, type OfferedMethods } from "./multi-factor-rules.js";
import { userDetails } from "./user-details.js";
import {
  DefaultProjectError,
  NoPasswordHereError,
  UserExistsError,
  UserNameError,
  UserNotFoundError,
} from "./user-errors.js";
import { type NewUser, USER_MEMBERS, type UserChange } from "./user-schema.js";
import {
  countUsers,
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
  type UserConditions,
  type UserQuery,
} from "./user-store.js";

/** The users of domains whose users are in a directory. */
export interface UserDirectories {
  isInUse(): Promise<boolean>;
  /** The page size of lists of a domain's users and groups, if the domain has one of its own. */
  listLimitOf(domainId: string | undefined): Promise<number | undefined>;
  /** @throws {ForbiddenError} The domain is one of them. */
  requireWritable(domainId: string): Promise<void>;
  /**
   * `undefined` if the user belongs to no directory.
   *
   * @param options.isFresh Whether to ask the directory even if it was asked lately.
   * @param options.withGroups Whether the memberships are needed.
   */
  findUser(
    reference: ExactReference,
    options?: { readonly isFresh?: boolean; readonly withGroups?: boolean },
  ): Promise<{ readonly item: User | undefined; readonly localId: string } | undefined>;
  listUsers(query: UserQuery): Promise<User[] | undefined>;
}

export interface UserServiceDeps
  extends FederatedIdentitiesDeps, Pick<Platform, "database" | "clock" | "newId"> {
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
    findDomain(reference: { readonly id: string }): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
  /** None, if left out. */
  readonly directories?: UserDirectories | undefined;
  /** Called in the transaction that deletes a user, before it is deleted. */
  readonly onUserDeleted: (transaction: Transaction, userId: string) => Promise<void>;
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
  const { directories } = deps;

  /**
   * @param options.withGroups Brings the memberships of a directory's user up to date.
   * @throws {UserNotFoundError}
   */
  async function getUser(id: string, { withGroups = false } = {}): Promise<User> {
    const answer = await directories?.findUser({ id }, { isFresh: true, withGroups });
    if (answer === undefined) return asOfNow(await requireUser(database, id));
    if (answer.item === undefined) throw new UserNotFoundError(answer.localId);
    return answer.item;
  }

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
    await directories?.requireWritable(draft.domain_id);
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
      extra: extraOf(draft, USER_MEMBERS),
      createdAt: clock.now(),
      lastActiveAt: null,
      passwordExpiresAt: null,
    };
    return database.transaction(
      async (transaction) => {
        await insertUser(transaction, user, { conflict: () => new UserExistsError(user.name, user) });
        transaction.publish({ resource: "user", operation: "created", id: user.id });
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
    const stored = await getUser(id);
    checkSameDomain(stored, change);
    await directories?.requireWritable(stored.domainId);
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
          extra: { ...user.extra, ...extraOf(change, USER_MEMBERS) },
          lastActiveAt: change.enabled === true ? clock.now() : user.lastActiveAt,
        };
        await updateUser(transaction, changed, () => new UserExistsError(changed.name));
        transaction.publish({ resource: "user", operation: "updated", id });
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

  /**
   * Has a user change the password before the next login, revokes all tokens, and unlocks the account.
   *
   * @param password One for the change alone; the current one, if left out.
   * @throws {PasswordResetError} {@link PasswordRefusedError} {@link UserNotFoundError}
   */
  async function resetPassword(id: string, password: string | undefined): Promise<User> {
    const { domainId, options } = await getUser(id);
    await directories?.requireWritable(domainId);
    if (options.ignore_password_expiry === true)
      throw new PasswordResetError("its option ignore_password_expiry has no password expire");
    if (options.lock_password === true)
      throw new PasswordResetError("its option lock_password forbids changes by the user");
    const hashed =
      password === undefined ? undefined : await hashNewPassword(deps, password, { isSelfService: false });
    return database.transaction(
      async (transaction) => {
        if ((await findShadowUser(transaction, id)) !== undefined) throw new NoPasswordHereError();
        if (hashed !== undefined)
          await storeNewPassword(deps, transaction, { userId: id, exceptions: options, ...hashed });
        // In whole seconds, as expiries are.
        const at = Math.floor(clock.now() / 1000) * 1000;
        if (!(await expirePassword(transaction, id, at))) throw new PasswordResetError("it has no password");
        await setFailures(transaction, id, NO_FAILURES);
        await revokeTokens(transaction, { userId: id });
        transaction.publish({ resource: "user", operation: "updated", id });
        return asOfNow(await requireUser(transaction, id));
      },
      { changes: ["facts", "revocations"] },
    );
  }

  return {
    resetPassword,

    /** The methods in the user's multi-factor rules that no login can use. */
    unavailableMethods: (user: Pick<User, "options">): Promise<string[]> =>
      unavailableMethods(database, user.options, methods),

    /** The page size of lists of this domain, if it has one of its own. */
    pageSizeOf: async (domainId: string | undefined): Promise<number | undefined> =>
      directories?.listLimitOf(domainId),

    /** How many users a list has; `undefined` where a directory lists them. */
    async count(query: UserConditions): Promise<number | undefined> {
      if ((await directories?.isInUse()) === true) return undefined;
      return countUsers(database.forLists, query, database.kind);
    },

    /** Where users come from, and when they were active last. */
    details: (users: readonly User[]) => userDetails(database.forLists, users),

    async list(query: UserQuery): Promise<User[]> {
      const listed = await directories?.listUsers(query);
      // Users of identity providers in the domain of a directory are found by their name.
      const isNamed = query.search !== undefined || query.filters.some(({ field }) => field === "name");
      const isSearch = query.group === undefined && isNamed;
      if (listed !== undefined && !isSearch) return listed;
      const withoutMirrors = (await directories?.isInUse()) === true;
      // Lists of directories are in the order of ids.
      const order = listed === undefined ? query.order : undefined;
      const wanted = { ...query, order, withoutMirrors };
      const stored = (await listUsers(database.forLists, wanted, database.kind)).map(asOfNow);
      return listed === undefined
        ? stored
        : [...listed, ...stored].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },

    getUser,

    async findUser(reference: ExactReference): Promise<User | undefined> {
      const answer = await directories?.findUser(reference, { withGroups: true });
      if (answer !== undefined) return answer.item;
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

    async delete(id: string): Promise<void> {
      await directories?.requireWritable((await getUser(id)).domainId);
      return database.transaction(
        async (transaction) => {
          await requireUser(transaction, id);
          await revokeTokens(transaction, { userId: id });
          await onUserDeleted(transaction, id);
          await deleteUser(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      );
    },

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
    deleteOfDomain: (transaction: Transaction, domainId: string): Promise<void> =>
      deleteOfDomain(transaction, "user", domainId, async (within, id) => {
        await onUserDeleted(within, id);
        within.publish({ resource: "user", operation: "deleted", id });
      }),
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
