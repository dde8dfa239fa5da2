/** The rules for users whom a provider pushes. */
import type { Platform } from "../../area.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import { UniqueViolation } from "../../platform/database/database-errors.js";
import type { Queries, Transaction } from "../../platform/database/database.js";
import { orConflict } from "../../platform/database/table.js";
import { createTransactionBatches } from "../../platform/database/transaction-batches.js";
import type { ResourceEvent } from "../../platform/events.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import {
  countProvisionedUsers,
  findPushedAccount,
  foldedName,
  insertProvisionedUser,
  listProvisionedUsers,
  updatePushedAccount,
  type ListedProvisionedUser,
  type ProvisionedUser,
} from "../../users/federated/provisioned-user-store.js";
import { deleteUser, insertUser, updateUser, type User } from "../../users/user-store.js";
import { matchesFilter } from "../filter/filter-evaluation.js";
import type { Filter } from "../filter/filter-parser.js";
import { splitFilter, type IndexedAttribute } from "../filter/indexed-filter.js";
import { storedTextsOf } from "../filter/stored-texts.js";
import { applyChanges } from "../patch/apply-changes.js";
import type { ScimChange } from "../patch/patch-operations.js";
import { readResource } from "../schema/read-values.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { USER_TYPE } from "../schema/scim-schemas.js";
import { changing, requireVersion, type Declare } from "../scim-changes.js";
import { ScimUniquenessError, ScimUserNotFoundError } from "../scim-errors.js";
import { readPageOf, slicesOf, type ScimPage, type ScimPageQuery } from "../scim-lists.js";
import type { ScimProvider } from "../scim-provider.js";
import { dropFormerIdentities, accountOf, requireFreeId, requireUnique } from "./scim-accounts.js";
import { usersWith } from "./scim-user-search.js";
import { plainResource, readDesiredUser, userResource, type DesiredScimUser } from "./scim-user.js";

export interface ScimUserServiceDeps extends Pick<Platform, "database" | "clock"> {
  readonly revokeTokens: RevokeTokens;
  /** Called in the transaction that deletes a user, before it is deleted. */
  readonly onUserDeleted: (transaction: Transaction, userId: string) => Promise<void>;
  /** @throws {ForbiddenError} The users of the domain are in a directory. */
  readonly requireWritable: (domainId: string) => Promise<void>;
}

export type ScimUserService = ReturnType<typeof createScimUserService>;

/** A resource and the version that the client demands. */
export interface ScimResourceKey {
  readonly id: string;
  /** The header `If-Match`. */
  readonly ifMatch?: string | undefined;
}

const same = (value: string) => value;
const idOf = ({ userId }: ListedProvisionedUser) => userId;
const INDEXED: Readonly<Record<string, IndexedAttribute<"user_id" | "user_name_key" | "external_id">>> = {
  id: { column: "user_id", keyOf: same },
  externalId: { column: "external_id", keyOf: same },
  userName: { column: "user_name_key", keyOf: foldedName },
};

export function createScimUserService(deps: ScimUserServiceDeps) {
  const { database, clock, revokeTokens, onUserDeleted, requireWritable } = deps;
  // One at a time of each provider: side by side they would take no less time, and longer turns.
  const searches = createKeyedQueue({ maxWaiting: MAX_WAITING_SEARCHES });
  // They would wait for the order of revocations, one for the whole transaction of another.
  const deactivations = createTransactionBatches(database, { maxWaiting: MAX_WAITING });

  async function create(provider: ScimProvider, body: ScimObject): Promise<ListedProvisionedUser> {
    await requireWritable(provider.domainId);
    const desired = readDesiredUser(readResource(body, USER_TYPE), provider);
    for (let attempt = 1; ; attempt++)
      try {
        // Read before the transaction: reads in it would make PostgreSQL see conflicts between all new users.
        await requireUnique(database, provider, desired);
        const account = await accountOf(database, provider, desired);
        const { id } = account;
        return await (account.user === undefined
          ? insertNew(provider, id, desired)
          : adopt(provider, desired));
      } catch (cause) {
        // A concurrent push or login was first.
        if (!(cause instanceof UniqueViolation)) throw cause;
        if (attempt === MAX_ATTEMPTS) throw notUnique(cause);
      }
  }

  /** @throws {UniqueViolation} */
  function insertNew(provider: ScimProvider, id: string, desired: DesiredScimUser) {
    const now = clock.now();
    const user = toUser(newUser(id, provider, now), desired);
    const pushed = firstPush(provider, user, { desired, now });
    return database.transaction(
      async (transaction) => {
        await insertUser(transaction, user, { isFederated: true });
        await insertProvisionedUser(transaction, pushed);
        transaction.publish(userEvent("created", id));
        return { ...pushed, enabled: user.enabled };
      },
      { changes: [] },
    );
  }

  /** A user who has logged in before. @throws {UniqueViolation} */
  function adopt(provider: ScimProvider, desired: DesiredScimUser): Promise<ListedProvisionedUser> {
    return database.transaction(
      async (transaction) => {
        await requireUnique(transaction, provider, desired);
        const { id, user: known } = await accountOf(transaction, provider, desired);
        const now = clock.now();
        const user = toUser(known ?? newUser(id, provider, now), desired);
        if (known === undefined) await insertUser(transaction, user, { isFederated: true });
        else await updateUser(transaction, user);
        if (known?.enabled === true && !user.enabled) await revokeTokens(transaction, { userId: id });
        const pushed = firstPush(provider, user, { desired, now });
        await insertProvisionedUser(transaction, pushed);
        transaction.publish(userEvent(known === undefined ? "created" : "updated", id));
        return { ...pushed, enabled: user.enabled };
      },
      { changes: ["facts", "revocations"] },
    );
  }

  interface UserUpdate {
    /** What becomes of the resource. */
    readonly change: (resource: ScimObject) => ScimObject;
    /** Whether the request deactivates the user, unless it is inactive. */
    readonly isDeactivation: boolean;
  }

  async function update(
    provider: ScimProvider,
    { id, ifMatch }: ScimResourceKey,
    { change, isDeactivation }: UserUpdate,
  ): Promise<ListedProvisionedUser> {
    async function apply(transaction: Transaction, declare: Declare): Promise<ListedProvisionedUser> {
      const { pushed: known, user } = await requirePushed(transaction, provider, id);
      requireVersion(ifMatch, known.version);
      const before = plainResource({ ...known, enabled: user.enabled });
      const desired = readDesiredUser(change(before), provider);
      const changed = toUser(user, desired, desired.active);
      const next = { ...known, ...storedParts(desired) };
      const isSame = JSON.stringify([known, user]) === JSON.stringify([next, changed]);
      if (isSame) return { ...known, enabled: user.enabled };
      const isOther = next.userName !== known.userName || next.externalId !== known.externalId;
      if (isOther) await requireUnique(transaction, provider, desired, id);
      if (next.uniqueKey !== known.uniqueKey) {
        await requireFreeId(transaction, provider, { ...desired, userId: id });
        await dropFormerIdentities(transaction, known);
      }
      if (user.name !== changed.name || user.enabled !== changed.enabled) declare("facts");
      if (user.enabled && !changed.enabled) {
        declare("facts", "revocations");
        await revokeTokens(transaction, { userId: id });
      }
      const stored = { ...next, version: known.version + 1, updatedAt: clock.now() };
      const isOtherUser = JSON.stringify(user) !== JSON.stringify(changed);
      const account = { pushed: stored, user: isOtherUser ? changed : undefined };
      await orConflict(() => updatePushedAccount(transaction, database.kind, account), notUnique);
      transaction.publish(userEvent("updated", id));
      return { ...stored, enabled: changed.enabled };
    }
    return isDeactivation
      ? // Those of other providers do not wait for a provider that sends many.
        changing(deactivations.of({ key: provider.id }), apply, ["facts", "revocations"])
      : changing(database, apply);
  }

  return {
    create,

    /** @throws {ScimUserNotFoundError} */
    async get(provider: ScimProvider, id: string): Promise<ListedProvisionedUser> {
      const matches = [{ column: "user_id", value: id }] as const;
      const [user] = await listProvisionedUsers(database, provider.id, { matches, limit: 1 });
      if (user === undefined) throw new ScimUserNotFoundError(id);
      return user;
    },

    /** A page of the provider's users. A filter that no index answers reads all of them, in slices. */
    list(
      provider: ScimProvider,
      filter: Filter | undefined,
      page: ScimPageQuery,
    ): Promise<ScimPage<ListedProvisionedUser>> {
      const { id } = provider;
      const { matches, rest } =
        filter === undefined ? { matches: [], rest: undefined } : splitFilter(filter, USER_TYPE, INDEXED);
      // Unknown attributes are an error even if there is no user to compare.
      if (rest !== undefined) matchesFilter(rest, {}, USER_TYPE);
      const isNarrow = matches.length > 0;
      const read = () =>
        readPageOf(page, {
          slices:
            filter &&
            (isNarrow
              ? // Clients look a user up, and create it if it is not there.
                slicesOf((query) => listProvisionedUsers(database, id, { ...query, matches }), idOf)
              : usersWith(database.forLists, id, rest === undefined ? [] : storedTextsOf(rest, USER_TYPE))),
          matches: (user) => rest === undefined || matchesFilter(rest, userResource(user, ""), USER_TYPE),
          count: () => countProvisionedUsers(database.forLists, id),
          read: (query) => listProvisionedUsers(database.forLists, id, query),
        });
      return filter === undefined || isNarrow ? read() : searches.run(id, read);
    },

    /** Replaces the attributes. What the provider does not say of `active` and `externalId` stays. */
    async replace(provider: ScimProvider, key: ScimResourceKey, body: ScimObject) {
      const read = readResource(body, USER_TYPE);
      return update(provider, key, {
        change: ({ active, externalId }) => ({
          active,
          ...(externalId !== undefined && { externalId }),
          ...read,
        }),
        isDeactivation: read["active"] === false,
      });
    },

    change: (provider: ScimProvider, key: ScimResourceKey, changes: readonly ScimChange[]) =>
      update(provider, key, {
        change: (resource) => applyChanges(resource, changes),
        isDeactivation: changes.some(
          ({ attribute, value }) => attribute.name === "active" && /false/i.test(String(value)),
        ),
      }),

    /** Deletes the user with grants, memberships and all that refers to it, and revokes its tokens. */
    delete: (provider: ScimProvider, { id, ifMatch }: ScimResourceKey): Promise<void> =>
      database.transaction(
        async (transaction) => {
          const { pushed } = await requirePushed(transaction, provider, id);
          requireVersion(ifMatch, pushed.version);
          await deletePushed(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      ),

    /** Deletes all users of a provider, in the transaction that deletes it. */
    async deleteOf(transaction: Transaction, idpId: string): Promise<void> {
      for (;;) {
        const users = await listProvisionedUsers(transaction, idpId, { limit: MAX_DELETED });
        for (const { userId } of users) await deletePushed(transaction, userId);
        if (users.length < MAX_DELETED) return;
      }
    },
  };

  async function deletePushed(transaction: Transaction, id: string): Promise<void> {
    await revokeTokens(transaction, { userId: id });
    await onUserDeleted(transaction, id);
    await deleteUser(transaction, id);
  }
}

/** Of a push where concurrent pushes or logins make the same user. */
const MAX_ATTEMPTS = 3;
/** Deactivations by a provider that wait for others of it. */
const MAX_WAITING = 1000;
/** Searches of a provider, without an index, that wait for another. */
const MAX_WAITING_SEARCHES = 50;
/** Users that are read at a time for their deletion. */
const MAX_DELETED = 100;

/**
 * The user as it is after a push. A user who logged in before, and whom an administrator has disabled, is not enabled by its first push.
 *
 * @param active Of a later push.
 */
function toUser(user: User, { name, email, active: pushed }: DesiredScimUser, active?: boolean): User {
  const enabled = active ?? (pushed === false ? false : user.enabled);
  const { email: _, ...others } = user.extra;
  const extra = email === undefined ? others : { ...others, email };
  return { ...user, name, enabled, extra };
}

function userEvent(operation: "created" | "updated", id: string): ResourceEvent {
  return { resource: "user", operation, id };
}

function storedParts({ userName, externalId, attributes, uniqueKey }: DesiredScimUser) {
  return { uniqueKey, userName, externalId, attributes };
}

/** @throws {ScimUserNotFoundError} */
async function requirePushed(queries: Queries, { id: idpId }: ScimProvider, userId: string) {
  const account = await findPushedAccount(queries, { idpId, userId });
  if (account === undefined) throw new ScimUserNotFoundError(userId);
  return account;
}

/** A concurrent request was first. */
function notUnique(cause?: Error): ScimUniquenessError {
  return new ScimUniquenessError("Another user has the userName or externalId.", { cause });
}

function firstPush(
  { id: idpId }: ScimProvider,
  { id: userId }: User,
  { desired, now }: { readonly desired: DesiredScimUser; readonly now: number },
): ProvisionedUser {
  const { userName, externalId, attributes, uniqueKey } = desired;
  const times = { createdAt: now, updatedAt: now };
  return { userId, idpId, uniqueKey, userName, externalId, attributes, version: 1, ...times };
}

function newUser(id: string, { domainId }: ScimProvider, now: number): User {
  return {
    id,
    name: "",
    domainId,
    enabled: true,
    defaultProjectId: null,
    options: {},
    extra: {},
    createdAt: now,
    lastActiveAt: null,
    passwordExpiresAt: null,
  };
}
