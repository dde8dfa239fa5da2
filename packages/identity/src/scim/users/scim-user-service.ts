/** The rules for users whom a provider pushes. */
import type { Platform } from "../../area.js";
import type { Queries } from "../../platform/database/database.js";
import { orConflict } from "../../platform/database/table.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import {
  countProvisionedUsers,
  findProvisionedUser,
  foldedName,
  insertProvisionedUser,
  listProvisionedUsers,
  updateProvisionedUser,
  type ListedProvisionedUser,
  type ProvisionedUser,
} from "../../users/federated/provisioned-user-store.js";
import { deleteUser, insertUser, requireUser, updateUser, type User } from "../../users/user-store.js";
import { matchesFilter } from "../filter/filter-evaluation.js";
import type { Filter } from "../filter/filter-parser.js";
import { splitFilter, type IndexedAttribute } from "../filter/indexed-filter.js";
import { applyChanges } from "../patch/apply-changes.js";
import type { ScimChange } from "../patch/patch-operations.js";
import { readResource } from "../schema/read-values.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { USER_TYPE } from "../schema/scim-schemas.js";
import { changing, requireVersion } from "../scim-changes.js";
import { ScimUniquenessError, ScimUserNotFoundError } from "../scim-errors.js";
import { readPageOf, type ScimPage, type ScimPageQuery } from "../scim-lists.js";
import type { ScimProvider } from "../scim-provider.js";
import { dropFormerIdentities, accountOf, requireFreeId, requireUnique } from "./scim-accounts.js";
import { plainResource, readDesiredUser, userResource, type DesiredScimUser } from "./scim-user.js";

export interface ScimUserServiceDeps extends Pick<Platform, "database" | "clock"> {
  readonly revokeTokens: RevokeTokens;
  /** Called in the transaction that deletes a user, before it is deleted. */
  readonly onUserDeleted: (transaction: Queries, userId: string) => Promise<void>;
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
const INDEXED: Readonly<Record<string, IndexedAttribute<"user_id" | "user_name_key" | "external_id">>> = {
  id: { column: "user_id", keyOf: same },
  externalId: { column: "external_id", keyOf: same },
  userName: { column: "user_name_key", keyOf: foldedName },
};

export function createScimUserService(deps: ScimUserServiceDeps) {
  const { database, clock, revokeTokens, onUserDeleted, requireWritable } = deps;

  async function create(provider: ScimProvider, body: ScimObject): Promise<ListedProvisionedUser> {
    await requireWritable(provider.domainId);
    const desired = readDesiredUser(readResource(body, USER_TYPE), provider);
    const userNameKey = foldedName(desired.userName);
    return changing(database, async (transaction, declare) => {
      await requireUnique(transaction, provider, { ...desired, userNameKey });
      const account = await accountOf(transaction, provider, desired);
      const now = clock.now();
      const user = toUser(account.user ?? newUser(account.id, provider, now), desired);
      if (account.user === undefined)
        await orTaken(() => insertUser(transaction, user, { isFederated: true }));
      else {
        // Its tokens show the name.
        declare("facts");
        if (account.user.enabled && !user.enabled) {
          declare("facts", "revocations");
          await revokeTokens(transaction, { userId: user.id });
        }
        await updateUser(transaction, user);
      }
      const pushed: ProvisionedUser = {
        ...storedParts(desired),
        userId: user.id,
        idpId: provider.id,
        version: 1,
        createdAt: now,
        updatedAt: now,
      };
      await orTaken(() => insertProvisionedUser(transaction, pushed));
      return { ...pushed, enabled: user.enabled };
    });
  }

  /** @param change What becomes of the resource. */
  async function update(
    provider: ScimProvider,
    { id, ifMatch }: ScimResourceKey,
    change: (resource: ScimObject) => ScimObject,
  ): Promise<ListedProvisionedUser> {
    return changing(database, async (transaction, declare) => {
      const known = await requirePushed(transaction, provider, id);
      requireVersion(ifMatch, known.version);
      const user = await requireUser(transaction, id);
      const before = plainResource({ ...known, enabled: user.enabled });
      const desired = readDesiredUser(change(before), provider);
      const changed = toUser(user, desired, desired.active);
      const next = { ...known, ...storedParts(desired) };
      const isSame = JSON.stringify([known, user]) === JSON.stringify([next, changed]);
      if (isSame) return { ...known, enabled: user.enabled };
      await requireUnique(
        transaction,
        provider,
        { ...desired, userNameKey: foldedName(desired.userName) },
        id,
      );
      if (next.uniqueKey !== known.uniqueKey) {
        await requireFreeId(transaction, provider, { ...desired, userId: id });
        await dropFormerIdentities(transaction, known);
      }
      if (user.name !== changed.name || user.enabled !== changed.enabled) declare("facts");
      if (user.enabled && !changed.enabled) {
        declare("facts", "revocations");
        await revokeTokens(transaction, { userId: id });
      }
      if (JSON.stringify(user) !== JSON.stringify(changed)) await updateUser(transaction, changed);
      const stored = { ...next, version: known.version + 1, updatedAt: clock.now() };
      await orTaken(() => updateProvisionedUser(transaction, stored));
      return { ...stored, enabled: changed.enabled };
    });
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
      const { matches, rest } =
        filter === undefined ? { matches: [], rest: undefined } : splitFilter(filter, USER_TYPE, INDEXED);
      const { id } = provider;
      const isNarrow = matches.length > 0;
      return readPageOf(page, {
        isNarrow,
        matches: rest && ((user) => matchesFilter(rest, userResource(user, ""), USER_TYPE)),
        count: () => countProvisionedUsers(database.forLists, id),
        read: (query) =>
          // Clients look a user up, and create it if it is not there.
          isNarrow
            ? listProvisionedUsers(database, id, { ...query, matches })
            : listProvisionedUsers(database.forLists, id, query),
        idOf: (user) => user.userId,
      });
    },

    /** Replaces the attributes. What the provider does not say of `active` and `externalId` stays. */
    replace: (provider: ScimProvider, key: ScimResourceKey, body: ScimObject) =>
      update(provider, key, ({ active, externalId }) => ({
        active,
        ...(externalId !== undefined && { externalId }),
        ...readResource(body, USER_TYPE),
      })),

    change: (provider: ScimProvider, key: ScimResourceKey, changes: readonly ScimChange[]) =>
      update(provider, key, (resource) => applyChanges(resource, changes)),

    /** Deletes the user with grants, memberships and all that refers to it, and revokes its tokens. */
    delete: (provider: ScimProvider, { id, ifMatch }: ScimResourceKey): Promise<void> =>
      database.transaction(
        async (transaction) => {
          requireVersion(ifMatch, (await requirePushed(transaction, provider, id)).version);
          await deletePushed(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      ),

    /** Deletes all users of a provider, in the transaction that deletes it. */
    async deleteOf(transaction: Queries, idpId: string): Promise<void> {
      for (;;) {
        const users = await listProvisionedUsers(transaction, idpId, { limit: MAX_DELETED });
        for (const { userId } of users) await deletePushed(transaction, userId);
        if (users.length < MAX_DELETED) return;
      }
    },
  };

  async function deletePushed(transaction: Queries, id: string): Promise<void> {
    await revokeTokens(transaction, { userId: id });
    await onUserDeleted(transaction, id);
    await deleteUser(transaction, id);
  }
}

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

function storedParts({ userName, externalId, attributes, uniqueKey }: DesiredScimUser) {
  return { uniqueKey, userName, externalId, attributes };
}

/** @throws {ScimUserNotFoundError} */
async function requirePushed(
  queries: Queries,
  { id: idpId }: ScimProvider,
  id: string,
): Promise<ProvisionedUser> {
  const known = await findProvisionedUser(queries, idpId, { column: "user_id", value: id });
  if (known === undefined) throw new ScimUserNotFoundError(id);
  return known;
}

/** A concurrent request may have been first. */
function orTaken(write: () => Promise<unknown>): Promise<void> {
  return orConflict(write, () => new ScimUniquenessError("Another user has the userName or externalId."));
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
