/**
 * The rules for OAuth 1.0a: a consumer asks for a request token for a project, a user authorizes it with some roles, the consumer
 * exchanges it for an access token, and logs in with that as the user.
 */
import { randomInt, timingSafeEqual } from "node:crypto";

import type { Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/table.js";
import { ifFound, required } from "../platform/errors.js";
import { sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import type { Credentials } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { ProjectService } from "../projects/project-service.js";
import type { Role } from "../roles/role.js";
import { newSecret, type ConsumerService } from "./consumer-service.js";
import {
  AccessTokenNotFoundError,
  AccessTokenRoleNotFoundError,
  NoProjectRequestedError,
  NoRolesAuthorizedError,
  OAuth1ParameterError,
  OAuth1RefusedError,
  RequestTokenNotFoundError,
  deleteExpiredTokens,
  findToken,
  listAccessTokens,
  oauth1SecretPlace,
  tokenTable,
  type StoredToken,
  type RequestedRoles,
} from "./oauth1-store.js";
import { requireParameter, type OAuth1Request, type OAuth1Verifier } from "./oauth1-verification.js";

/** As Keystone's `request_token_duration` and `access_token_duration`. */
const REQUEST_TOKEN_MS = 8 * 3_600_000;
const ACCESS_TOKEN_MS = 24 * 3_600_000;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const VERIFIER_LENGTH = 8;

export interface OAuth1ServiceDeps extends Pick<Platform, "database" | "clock" | "newId" | "masterKey"> {
  readonly consumers: Pick<ConsumerService, "secretOf">;
  readonly projects: Pick<ProjectService, "getProject">;
  readonly roles: Pick<RoleServices["roles"], "getRole" | "findRolesByName" | "effectiveRoles">;
}

/** A new token, whose secret is shown once. */
export interface IssuedOAuth1Token extends StoredToken {
  readonly secret: string;
}

/** An access token, authorized by its user. */
export type AccessToken = StoredToken & { readonly userId: string };

export type OAuth1Service = ReturnType<typeof createOAuth1Service>;

export function createOAuth1Service(deps: OAuth1ServiceDeps) {
  const { database, masterKey, newId, clock, consumers, projects, roles } = deps;

  const secretOf = ({ kind, id, sealedSecret }: StoredToken): string =>
    unsealStored(masterKey, sealedSecret, oauth1SecretPlace(kind, id)).toString();

  const isExpired = ({ expiresAt }: StoredToken): boolean => expiresAt <= clock.now();

  async function insert(
    transaction: Queries,
    token: Omit<StoredToken, "id" | "sealedSecret">,
  ): Promise<IssuedOAuth1Token> {
    const id = newId();
    const secret = newSecret();
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    const sealedSecret = seal(Buffer.from(secret), oauth1SecretPlace(token.kind, id));
    const before = clock.now() - ACCESS_TOKEN_MS;
    await deleteExpiredTokens(transaction, { consumerId: token.consumerId, before });
    await tokenTable.insert(transaction, { ...token, id, sealedSecret });
    return { ...token, id, sealedSecret, secret };
  }

  /** The ids of roles that a user has on a project. @throws {OAuth1RefusedError} The user does not have one of them. */
  async function requireHeld(
    references: RequestedRoles,
    { userId, projectId }: { readonly userId: string; readonly projectId: string },
  ): Promise<readonly string[]> {
    if (references.length === 0) throw new NoRolesAuthorizedError();
    const found = await roles.findRolesByName(references.flatMap(({ name }) => name ?? []));
    const idOf = (name?: string) => found.find((role) => role.domainId === null && role.name === name)?.id;
    const ids = [...new Set(references.map(({ id, name }) => id ?? idOf(name) ?? ""))];
    const target = { kind: "project", projectId } as const;
    const held = await roles.effectiveRoles({ userId, groupIds: [] }, target, { only: ids });
    if (!ids.every((id) => held.some((role) => role.id === id)))
      throw new OAuth1RefusedError("the authorizing user does not have a role on the project");
    return ids;
  }

  /** @throws {AccessTokenNotFoundError} Also for the token of another user. */
  async function getAccessToken(id: string, userId: string): Promise<StoredToken> {
    const token = await findToken(database, "access", id);
    if (token?.userId !== userId) throw new AccessTokenNotFoundError(id);
    return token;
  }

  /** Roles that were deleted are left out. */
  async function rolesOf({ roleIds }: StoredToken): Promise<Role[]> {
    const found = await Promise.all(roleIds.map((id) => ifFound(roles.getRole(id))));
    return found.filter((role) => role !== undefined);
  }

  return {
    /** @throws {NotFoundError} {@link OAuth1ParameterError} {@link OAuth1RefusedError} */
    async createRequestToken(
      request: OAuth1Request,
      { projectId, verifier }: { readonly projectId: string; readonly verifier: OAuth1Verifier },
    ): Promise<IssuedOAuth1Token> {
      const consumerId = requireParameter(request.parameters, "oauth_consumer_key");
      if (projectId === "") throw new NoProjectRequestedError();
      const secret = await consumers.secretOf(consumerId);
      requireParameter(request.parameters, "oauth_callback");
      await verifier.verify(request, { consumer: secret, token: "" });
      await projects.getProject(projectId);
      const expiresAt = Math.floor((clock.now() + REQUEST_TOKEN_MS) / 1000) * 1000;
      const unauthorized = { userId: null, roleIds: [], verifier: null };
      return database.transaction(
        (transaction) =>
          insert(transaction, { kind: "request", consumerId, projectId, expiresAt, ...unauthorized }),
        { changes: [] },
      );
    },

    /** Authorizes a request token with roles of the caller. A repeated authorization replaces the former one. @returns The verifier. */
    async authorize(id: string, references: RequestedRoles, caller: Credentials): Promise<string> {
      rejectDelegated("oauth1", caller);
      const { userId } = caller;
      const token = await requireRequestToken(database, id);
      if (isExpired(token)) throw new OAuth1RefusedError("the request token has expired");
      const roleIds = await requireHeld(references, { userId, projectId: token.projectId });
      const verifier = newVerifier();
      await database.transaction(
        async (transaction) => {
          const current = await requireRequestToken(transaction, id);
          await tokenTable.update(transaction, { ...current, userId, roleIds, verifier });
        },
        { changes: [] },
      );
      return verifier;
    },

    /** Exchanges an authorized request token. @throws {NotFoundError} {@link OAuth1ParameterError} {@link OAuth1RefusedError} */
    async createAccessToken(request: OAuth1Request, verifier: OAuth1Verifier): Promise<IssuedOAuth1Token> {
      const { parameters } = request;
      const consumerId = requireParameter(parameters, "oauth_consumer_key");
      const id = requireParameter(parameters, "oauth_token");
      const given = requireParameter(parameters, "oauth_verifier");
      const consumer = await consumers.secretOf(consumerId);
      const token = await requireRequestToken(database, id);
      if (!/^[A-Za-z]{8}$/.test(given)) throw new OAuth1ParameterError("Invalid verifier format");
      await verifier.verify(request, { consumer, token: secretOf(token) });
      if (token.consumerId !== consumerId)
        throw new OAuth1RefusedError("the request token belongs to another consumer");
      if (isExpired(token)) throw new OAuth1RefusedError("the request token has expired");
      return database.transaction(
        async (transaction) => {
          const current = await requireRequestToken(transaction, id);
          if (current.userId === null || current.verifier === null || !isSame(given, current.verifier))
            throw new OAuth1RefusedError("the request token is not authorized, or has another verifier");
          await tokenTable.delete(transaction, id);
          const expiresAt = Math.floor((clock.now() + ACCESS_TOKEN_MS) / 1000) * 1000;
          const { projectId, userId, roleIds } = current;
          const kind = "access";
          return insert(transaction, {
            kind,
            consumerId,
            projectId,
            userId,
            roleIds,
            verifier: null,
            expiresAt,
          });
        },
        { changes: [] },
      );
    },

    /** The access token that a login is signed with. @throws {OAuth1ParameterError} {@link OAuth1RefusedError} */
    async requireAccessToken(request: OAuth1Request, verifier: OAuth1Verifier): Promise<AccessToken> {
      const { parameters } = request;
      const consumerId = requireParameter(parameters, "oauth_consumer_key");
      const token = await findToken(database, "access", requireParameter(parameters, "oauth_token"));
      if (token === undefined || token.userId === null)
        throw new OAuth1RefusedError("the access token does not exist");
      if (token.consumerId !== consumerId)
        throw new OAuth1RefusedError("the access token belongs to another consumer");
      await verifier.verify(request, {
        consumer: await consumers.secretOf(consumerId),
        token: secretOf(token),
      });
      if (isExpired(token)) throw new OAuth1RefusedError("the access token has expired");
      return { ...token, userId: token.userId };
    },

    list: (query: ListQuery<never> & { readonly userId: string }): Promise<StoredToken[]> =>
      listAccessTokens(database, query),

    get: getAccessToken,

    listRoles: async (id: string, userId: string): Promise<Role[]> =>
      rolesOf(await getAccessToken(id, userId)),

    /** @throws {AccessTokenRoleNotFoundError} */
    async getRole(id: string, { userId, roleId }: { readonly userId: string; readonly roleId: string }) {
      const found = await rolesOf(await getAccessToken(id, userId));
      return required(
        Promise.resolve(found.find((role) => role.id === roleId)),
        () => new AccessTokenRoleNotFoundError(roleId),
      );
    },

    /** The tokens that were obtained by it end too. */
    async delete(id: string, userId: string): Promise<void> {
      await getAccessToken(id, userId);
      await database.transaction((transaction) => tokenTable.delete(transaction, id));
    },

    /** The limits of tokens that were obtained by an access token, or why it gives none. */
    async readDelegation(
      { id }: { readonly id: string },
      {
        userId,
        scope,
      }: { readonly userId: string; readonly scope: { readonly kind: string; readonly projectId?: string } },
    ) {
      const token = await findToken(database, "access", id);
      if (token === undefined) return { fault: "access-token-unknown" as const };
      if (token.userId !== userId || token.projectId !== scope.projectId)
        return { fault: "access-token-foreign" as const };
      const { consumerId, roleIds, expiresAt } = token;
      return { roles: { ids: roleIds }, expiresAt, facts: { accessToken: { id, consumerId } } };
    },
  };
}

/** @throws {RequestTokenNotFoundError} */
function requireRequestToken(queries: Queries, id: string): Promise<StoredToken> {
  return required(findToken(queries, "request", id), () => new RequestTokenNotFoundError(id));
}

/** In constant time. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function newVerifier(): string {
  return Array.from({ length: VERIFIER_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}
