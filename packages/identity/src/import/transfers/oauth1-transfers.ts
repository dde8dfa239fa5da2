/** Consumers and access tokens of OAuth 1.0a. Keystone stores their secrets in plain text. */
import { oauth1SecretPlace } from "../../oauth1/oauth1-token-store.js";
import { attributesOf, isAbsent } from "../source/source-values.js";
import type { TableTransfer } from "../table-transfer.js";

export const consumerTransfer: TableTransfer = {
  from: "consumer",
  columns: ["id", "description", "secret", "extra"],
  to: "oauth1_consumer",
  key: ["id"],
  toRow(row, { seal }) {
    const id = row["id"] ?? "";
    return {
      id,
      description: row["description"] ?? null,
      sealed_secret: seal(Buffer.from(row["secret"] ?? ""), oauth1SecretPlace("consumer", id)),
      extra: JSON.stringify(attributesOf(row["extra"])),
    };
  },
  back: {
    change(row, { unseal }) {
      const place = oauth1SecretPlace("consumer", String(row["id"]));
      return { secret: unseal(row["sealed_secret"] as Buffer, place).toString() };
    },
  },
};

/** The end of an access token without one: Keystone issues them where `[oauth1] access_token_duration` is 0. */
const ENDLESS = Date.UTC(9999, 11, 31);

export const accessTokenTransfer: TableTransfer = {
  from: "access_token",
  columns: [
    "id",
    "access_secret",
    "authorizing_user_id",
    "project_id",
    "role_ids",
    "consumer_id",
    "expires_at",
  ],
  references: {
    authorizing_user_id: { table: "user", ifMissing: "left-out" },
    project_id: { table: "project", ifMissing: "left-out" },
    consumer_id: { table: "consumer", ifMissing: "left-out" },
  },
  to: "oauth1_token",
  key: ["id"],
  toRow(row, { seal }) {
    const id = row["id"] ?? "";
    return {
      id,
      kind: "access",
      consumer_id: row["consumer_id"] ?? "",
      user_id: row["authorizing_user_id"] ?? "",
      project_id: row["project_id"] ?? "",
      role_ids: JSON.stringify(roleIdsIn(row["role_ids"])),
      verifier: null,
      sealed_secret: seal(Buffer.from(row["access_secret"] ?? ""), oauth1SecretPlace("access", id)),
      expires_at: endOf(row["expires_at"]),
    };
  },
  back: {
    where: "t.kind = 'access'",
    change(row, { unseal }) {
      const place = oauth1SecretPlace("access", String(row["id"]));
      const expiresAt = Number(row["expires_at"]);
      return {
        access_secret: unseal(row["sealed_secret"] as Buffer, place).toString(),
        authorizing_user_id: String(row["user_id"]),
        expires_at: expiresAt === ENDLESS ? null : new Date(expiresAt).toISOString().replace("Z", "000Z"),
      };
    },
  },
};

/** @throws {TypeError} Not a list of ids in JSON. */
function roleIdsIn(text: string | null | undefined): string[] {
  const ids: unknown = JSON.parse(text ?? "null");
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return ids;
  throw new TypeError("is not a list of ids");
}

/** Of `2026-11-22T06:04:24.123456Z`. @throws {TypeError} Not a time. */
function endOf(text: string | null | undefined): number {
  if (isAbsent(text)) return ENDLESS;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new TypeError(`"${text}" is not a time`);
  return moment;
}
