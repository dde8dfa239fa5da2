/** Consumers and access tokens of OAuth 1.0a. Keystone stores their secrets in plain text. */
import { CONSUMER_MEMBERS } from "@hamkit/identity/import-support/api-rules";
import { oauth1SecretPlace } from "@hamkit/identity/import-support/storage";

import { ColumnError, isAbsent } from "../source/source-values.js";
import type { TableTransfer } from "../table-transfer.js";
import { extraIn } from "./imported-attributes.js";

const NO_SECRET = "is empty: anyone could sign with it";

export const consumerTransfer: TableTransfer = {
  from: "consumer",
  columns: ["id", "description", "secret", "extra"],
  to: "oauth1_consumer",
  key: ["id"],
  toRow(row, context) {
    const { id, secret } = row;
    if (isAbsent(id) || isAbsent(secret) || secret === "") return context.leaveOut("secret", NO_SECRET);
    return {
      id,
      description: row["description"] ?? null,
      sealed_secret: context.seal(Buffer.from(secret), oauth1SecretPlace("consumer", id)),
      extra: extraIn(row, { known: CONSUMER_MEMBERS }, context),
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
    authorizing_user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    project_id: { table: "project", ifMissing: "left-out", isRequired: true },
    consumer_id: { table: "consumer", ifMissing: "left-out", isRequired: true },
  },
  to: "oauth1_token",
  key: ["id"],
  toRow(row, { seal, leaveOut }) {
    const { id, access_secret: secret } = row;
    if (isAbsent(id) || isAbsent(secret) || secret === "") return leaveOut("access_secret", NO_SECRET);
    return {
      id,
      kind: "access",
      consumer_id: row["consumer_id"] ?? "",
      user_id: row["authorizing_user_id"] ?? "",
      project_id: row["project_id"] ?? "",
      role_ids: JSON.stringify(roleIdsIn(row["role_ids"])),
      verifier: null,
      sealed_secret: seal(Buffer.from(secret), oauth1SecretPlace("access", id)),
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

/** @throws {ColumnError} Not a list of ids in JSON. */
function roleIdsIn(text: string | null | undefined): string[] {
  try {
    const ids: unknown = JSON.parse(text ?? "null");
    if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return ids;
  } catch {
    // Reported like JSON of another form.
  }
  throw new ColumnError("role_ids", text ?? "", "is not a list of ids in JSON");
}

/** Of `2026-11-22T06:04:24.123456Z`. @throws {ColumnError} Not a time. */
function endOf(text: string | null | undefined): number {
  if (isAbsent(text)) return ENDLESS;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new ColumnError("expires_at", text, "is not a time");
  return moment;
}
