/**
 * Tokens of OAuth 1.0a in the database: a request token becomes an access token, once a user has authorized it. Their secrets are
 * sealed with the master key.
 */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { json, tableOf, type RowOf } from "../platform/database/table.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";
import { consumerTable } from "./consumer-store.js";
import { AccessTokenNotFoundError } from "./oauth1-errors.js";

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
        consumerTable.update(transaction, { ...consumer, sealedSecret }),
    })),
    ...tokens.map((token) => ({
      place: oauth1SecretPlace(token.kind, token.id),
      sealed: token.sealedSecret,
      replace: (transaction: Queries, sealedSecret: Buffer) =>
        tokenTable.update(transaction, { ...token, sealedSecret }),
    })),
  ];
}
