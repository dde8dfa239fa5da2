/**
 * Consumers and tokens of OAuth 1.0a: fields, schemas, tables and errors. A request token becomes an access token, once a user has authorized
 * it. All secrets are sealed with the master key.
 */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import { unpublished, type Queries } from "../platform/database/database.js";
import { json, tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import { errorClass, InvalidError, NotFoundError, UnauthorizedError } from "../platform/errors.js";
import { nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";
import { RequestedRole, RoleView } from "../roles/role.js";

class ConsumerNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/consumer-not-found",
  (_id: string) => "Consumer not found",
) {}

export class RequestTokenNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/request-token-not-found",
  (_id: string) => "Request token not found",
) {}

export class AccessTokenNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/access-token-not-found",
  (_id: string) => "Access token not found",
) {}

/** The access token does not have the role. */
export class AccessTokenRoleNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/role-not-found",
  (id: string) => `Could not find role: ${id}.`,
) {}

/** The request is not one of OAuth 1.0a: a parameter is missing, malformed, or the time is too far off. */
export class OAuth1ParameterError extends errorClass(
  InvalidError,
  "oauth1/parameters",
  (fault: string) => `Validation failed with errors: invalid_request, detail message is: ${fault}.`,
) {}

export class NoProjectRequestedError extends errorClass(
  InvalidError,
  "oauth1/no-project",
  "Expecting to find Requested-Project-Id in request. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
) {}

/** An access token without roles gives no token. */
export class NoRolesAuthorizedError extends errorClass(
  InvalidError,
  "oauth1/no-roles",
  "Invalid input for field 'roles': at least one role has to be authorized.",
) {}

/** The signature, its nonce, the verifier or a token is not valid. The reason is for the log. */
export class OAuth1RefusedError extends errorClass(UnauthorizedError, "oauth1/refused") {}

export interface StoredToken {
  readonly id: string;
  readonly kind: "access" | "request";
  readonly consumerId: string;
  /** The user who authorized it; `null` before. */
  readonly userId: string | null;
  readonly projectId: string;
  /** The authorized roles. */
  readonly roleIds: readonly string[];
  /** Of an authorized request token. */
  readonly verifier: string | null;
  readonly sealedSecret: Buffer;
  readonly expiresAt: Moment;
}

export const tokenTable = tableOf<StoredToken>()(
  "oauth1_token",
  {
    id: "id",
    kind: "kind",
    consumerId: "consumer_id",
    userId: "user_id",
    projectId: "project_id",
    roleIds: json("role_ids"),
    verifier: "verifier",
    sealedSecret: "sealed_secret",
    expiresAt: "expires_at",
  },
  AccessTokenNotFoundError,
);

interface Tables {
  readonly oauth1_token: RowOf<typeof tokenTable>;
}

export async function findToken(
  queries: Queries,
  kind: StoredToken["kind"],
  id: string,
): Promise<StoredToken | undefined> {
  const token = await tokenTable.find(queries, id);
  return token?.kind === kind ? token : undefined;
}

export function listAccessTokens(
  queries: Queries,
  { userId, ...query }: ListQuery<never> & { readonly userId: string },
): Promise<StoredToken[]> {
  return tokenTable.list(queries, query, (all) =>
    all.where("kind", "=", "access").where("user_id", "=", userId),
  );
}

/** Tokens deleted at once. */
const MAX_EXPIRED_TOKENS = 100;

/** Deletes some of a consumer's tokens that expired before a moment. */
export async function deleteExpiredTokens(
  queries: Queries,
  { consumerId, before }: { readonly consumerId: string; readonly before: Moment },
): Promise<void> {
  const expired = queries
    .tables<Tables>()
    .selectFrom("oauth1_token")
    .select("id")
    .where("consumer_id", "=", consumerId)
    .where("expires_at", "<", before)
    .limit(MAX_EXPIRED_TOKENS);
  await queries.tables<Tables>().deleteFrom("oauth1_token").where("id", "in", expired).execute();
}

/** The name that a sealed secret is bound to. */
export function oauth1SecretPlace(kind: "access" | "consumer" | "request", id: string): string {
  return `oauth1/${kind}/${encodeURIComponent(id)}`;
}

/** All secrets of consumers and tokens, to be sealed again with another master key. */
export async function oauth1Secrets(queries: Queries): Promise<SealedSecret[]> {
  const consumers = await consumerTable.all(consumerTable.select(queries));
  const tokens = await tokenTable.all(tokenTable.select(queries));
  return [
    ...consumers.map((consumer) => ({
      place: oauth1SecretPlace("consumer", consumer.id),
      sealed: consumer.sealedSecret,
      replace: (transaction: Queries, sealedSecret: Buffer) =>
        consumerTable.update(unpublished(transaction), { ...consumer, sealedSecret }),
    })),
    ...tokens.map((token) => ({
      place: oauth1SecretPlace(token.kind, token.id),
      sealed: token.sealedSecret,
      replace: (transaction: Queries, sealedSecret: Buffer) =>
        tokenTable.update(transaction, { ...token, sealedSecret }),
    })),
  ];
}

export interface StoredConsumer {
  readonly id: string;
  readonly description: string | null;
  readonly sealedSecret: Buffer;
  readonly extra: Attributes;
}

export const consumerTable = tableOf<StoredConsumer>()(
  "oauth1_consumer",
  { id: "id", description: "description", sealedSecret: "sealed_secret", extra: json("extra") },
  ConsumerNotFoundError,
  { resource: "OS-OAUTH1:consumer" },
);

const attributes = { description: Type.Optional(nullable(Type.String())) };

const Draft = openObject(attributes);
export type ConsumerDraft = Static<typeof Draft>;

/** As in Keystone, a consumer needs no attributes, nor the member that holds them. */
export const NewConsumer = Type.Object({ consumer: Type.Optional(Draft) });

export const ChangedConsumer = Type.Object({ consumer: openObject(attributes, { minProperties: 1 }) });

export const ConsumerView = openObject({
  id: Type.String(),
  description: nullable(Type.String()),
  /** In the response to its creation alone. */
  secret: Type.Optional(Type.String()),
  links: SelfLink,
});

export const Authorization = Type.Object({ roles: Type.Optional(Type.Array(RequestedRole)) });
export type RequestedRoles = readonly Static<typeof RequestedRole>[];

export const VerifierResponse = Type.Object({ token: Type.Object({ oauth_verifier: Type.String() }) });

export const AccessTokenView = Type.Object({
  id: Type.String(),
  consumer_id: Type.String(),
  project_id: Type.String(),
  authorizing_user_id: nullable(Type.String()),
  expires_at: Type.String(),
  links: Type.Object({ self: Type.String(), roles: Type.String() }),
});

/** As in Keystone, without the description. */
export const AuthorizedRoleView = Type.Omit(RoleView, ["description"]);

/** Members of a body that are not stored as attributes of the client. */
export const CONSUMER_MEMBERS = ["id", "description", "secret", "links"];
