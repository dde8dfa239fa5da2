/** Credentials, application credentials with their access rules, and trusts. */
import { blobPlace } from "../../credentials/credential-store.js";
import { TRUST_MEMBERS } from "../../trusts/trust-schema.js";
import { extraOf } from "../../platform/attributes.js";
import {
  isAbsent,
  attributesOf,
  isTrue,
  maybeFlag,
  maybeMicroseconds,
  maybeMoment,
  maybeNumber,
  microsecondsOf,
  timeText,
} from "../source/source-values.js";
import type { ReturnContext, ReturnedRow, TableTransfer, TargetRow, TargetValue } from "../table-transfer.js";
import { checkHash, isReadInKeystone } from "./user-transfers.js";

export const credentialTransfer: TableTransfer = {
  from: "credential",
  columns: ["id", "user_id", "project_id", "type", "extra", "key_hash", "encrypted_blob"],
  references: {
    user_id: { table: "user", ifMissing: "left-out" },
    project_id: { table: "project", ifMissing: "left-out" },
  },
  to: "credential",
  key: ["id"],
  volatile: ["last_step"],
  toRow(row, { openBlob, seal, leaveOut }) {
    if (openBlob === undefined)
      return leaveOut("encrypted_blob", "Keystone's credential keys are needed: --credential-keys");
    const type = row["type"] ?? "";
    const place = {
      id: row["id"] ?? "",
      userId: row["user_id"] ?? "",
      projectId: row["project_id"] ?? null,
      type,
    };
    const blob = plainBlob(type, openBlob(row["encrypted_blob"] ?? "", row["key_hash"]));
    return {
      id: place.id,
      user_id: place.userId,
      project_id: place.projectId,
      type,
      sealed_blob: seal(Buffer.from(blob), blobPlace(place)),
      extra: JSON.stringify(attributesOf(row["extra"])),
      last_step: null,
    };
  },
  back: {
    change(row, { encryptBlob, unseal, leaveOut }) {
      if (encryptBlob === undefined)
        return leaveOut("sealed_blob", "credential keys for Keystone are needed: --credential-keys");
      const place = {
        id: String(row["id"]),
        userId: String(row["user_id"]),
        projectId: row["project_id"] === null ? null : String(row["project_id"]),
        type: String(row["type"]),
      };
      const blob = unseal(row["sealed_blob"] as Buffer, blobPlace(place)).toString();
      // Keystone reads that of an EC2 key as JSON.
      const { encrypted, keyHash } = encryptBlob(place.type === "ec2" ? JSON.stringify(blob) : blob);
      return { key_hash: keyHash, encrypted_blob: encrypted };
    },
  },
};

/** Keystone encodes the JSON of an EC2 key that was sent to `/v3/credentials` as JSON once more. */
function plainBlob(type: string, text: string): string {
  if (type.toLowerCase() !== "ec2" || !text.startsWith('"')) return text;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "string" ? inner : text;
  } catch {
    return text;
  }
}

export const applicationCredentialTransfer: TableTransfer = {
  from: "application_credential",
  columns: [
    "id",
    "name",
    "secret_hash",
    "description",
    "user_id",
    "project_id",
    "expires_at",
    "system",
    "unrestricted",
  ],
  references: {
    user_id: { table: "user", ifMissing: "left-out" },
    project_id: { table: "project", ifMissing: "left-out" },
  },
  to: "application_credential",
  key: ["id"],
  unique: ["user_id", "name"],
  toRow(row, context) {
    if (isAbsent(row["project_id"]))
      return context.leaveOut("project_id", "has no project: no login can use it");
    const hash = row["secret_hash"] ?? "";
    checkHash("secret_hash", hash, context);
    return {
      id: row["id"] ?? "",
      name: row["name"] ?? "",
      secret_hash: hash,
      description: row["description"] ?? null,
      user_id: row["user_id"] ?? "",
      project_id: row["project_id"],
      system: row["system"] ?? null,
      expires_at: microsecondText(row["expires_at"]),
      unrestricted: maybeFlag(row["unrestricted"]),
    };
  },
  back: {
    change(row, { numberOf, leaveOut }) {
      if (!isReadInKeystone(String(row["secret_hash"])))
        return leaveOut("secret_hash", "Keystone can't read the hash (argon2id): create a new one there");
      return {
        internal_id: numberOf("application_credential", String(row["id"])),
        expires_at: textMicroseconds(row["expires_at"]),
      };
    },
  },
};

/** `2026-12-31T23:59:59.000000`, from microseconds since 1970. */
function microsecondText(text: string | null | undefined): string | null {
  if (isAbsent(text)) return null;
  const microseconds = BigInt(text);
  const seconds = new Date(Number(microseconds / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(microseconds % 1_000_000n).padStart(6, "0")}`;
}

/** The reverse. */
function textMicroseconds(text: TargetValue | undefined): bigint | null {
  if (text === undefined || text === null) return null;
  const [seconds = "", fraction = ""] = String(text).split(".");
  const microseconds = BigInt(fraction.replace("Z", "").padEnd(6, "0").slice(0, 6));
  return BigInt(Date.parse(`${seconds.replace("Z", "")}Z`)) * 1000n + microseconds;
}

export const credentialRoleTransfer: TableTransfer = {
  from: "application_credential_role",
  named: ["application_credential_id", "role_id"],
  columns: ["role_id"],
  expressions: { application_credential_id: "a.id" },
  uses: {
    application_credential: ["internal_id", "id"],
    application_credential_role: ["application_credential_id"],
  },
  joins: "join application_credential a on a.internal_id = t.application_credential_id",
  references: {
    application_credential_id: { table: "application_credential", ifMissing: "left-out" },
    role_id: { table: "role", ifMissing: "left-out" },
  },
  to: "application_credential_role",
  key: ["application_credential_id", "role_id"],
  toRow: (row) => ({
    application_credential_id: row["application_credential_id"] ?? "",
    role_id: row["role_id"] ?? "",
  }),
  back: { change: withCredentialNumber },
};

/** `undefined` if the application credential itself was left out. */
function withCredentialNumber(
  row: TargetRow,
  { hasNumber, numberOf }: ReturnContext,
): ReturnedRow | undefined {
  const id = String(row["application_credential_id"]);
  if (!hasNumber("application_credential", id)) return undefined;
  return { application_credential_id: numberOf("application_credential", id) };
}

export const accessRuleTransfer: TableTransfer = {
  from: "access_rule",
  columns: ["service", "path", "method", "user_id"],
  // The id of the API; the table's own is a number.
  expressions: { id: "t.external_id" },
  uses: { access_rule: ["external_id"] },
  references: { user_id: { table: "user", ifMissing: "left-out" } },
  to: "access_rule",
  key: ["id"],
  toRow(row, { leaveOut }) {
    if (isAbsent(row["id"]) || isAbsent(row["user_id"])) return leaveOut("user_id", "belongs to no user");
    return {
      id: row["id"],
      user_id: row["user_id"],
      service: row["service"] ?? "",
      path: row["path"] ?? "",
      method: row["method"] ?? "",
    };
  },
  back: {
    change(row, { numberOf }) {
      const id = String(row["id"]);
      return { id: numberOf("access_rule", id), external_id: id };
    },
  },
};

export const credentialRuleTransfer: TableTransfer = {
  from: "application_credential_access_rule",
  named: ["application_credential_id", "access_rule_id"],
  columns: [],
  expressions: { application_credential_id: "a.id", access_rule_id: "r.external_id" },
  uses: {
    application_credential: ["internal_id", "id"],
    access_rule: ["id", "external_id"],
    application_credential_access_rule: ["application_credential_id", "access_rule_id"],
  },
  joins: `join application_credential a on a.internal_id = t.application_credential_id
    join access_rule r on r.id = t.access_rule_id`,
  references: {
    application_credential_id: { table: "application_credential", ifMissing: "left-out" },
  },
  to: "application_credential_access_rule",
  key: ["application_credential_id", "access_rule_id"],
  toRow: (row) => ({
    application_credential_id: row["application_credential_id"] ?? "",
    access_rule_id: row["access_rule_id"] ?? "",
  }),
  back: {
    change(row, context) {
      const numbered = withCredentialNumber(row, context);
      return (
        numbered && {
          ...numbered,
          access_rule_id: context.numberOf("access_rule", String(row["access_rule_id"])),
        }
      );
    },
  },
};

/** Deleted trusts, which Keystone keeps as rows, are left out. A trust is imported before those that were redelegated from it. */
export const trustTransfer: TableTransfer = {
  from: "trust",
  columns: [
    "id",
    "trustor_user_id",
    "trustee_user_id",
    "project_id",
    "impersonation",
    "expires_at",
    "expires_at_int",
    "remaining_uses",
    "extra",
    "redelegated_trust_id",
    "redelegation_count",
  ],
  uses: { trust: ["deleted_at"] },
  prologue: `with recursive chain (id, level) as (
    select s.id, 0 from trust s where s.redelegated_trust_id is null and s.deleted_at is null
    union all
    select s.id, chain.level + 1 from trust s join chain on s.redelegated_trust_id = chain.id
    where s.deleted_at is null)`,
  joins: "join chain on chain.id = t.id",
  where: "t.deleted_at is null",
  order: "chain.level, t.id",
  references: {
    trustor_user_id: { table: "user", ifMissing: "left-out" },
    trustee_user_id: { table: "user", ifMissing: "left-out" },
    project_id: { table: "project", ifMissing: "left-out" },
    redelegated_trust_id: { table: "trust", ifMissing: "left-out" },
  },
  to: "trust",
  key: ["id"],
  volatile: ["remaining_uses"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    trustor_user_id: row["trustor_user_id"] ?? "",
    trustee_user_id: row["trustee_user_id"] ?? "",
    project_id: row["project_id"] ?? null,
    impersonation: isTrue(row["impersonation"]),
    expires_at: maybeMicroseconds(row["expires_at_int"]) ?? maybeMoment(row["expires_at"]),
    remaining_uses: maybeNumber(row["remaining_uses"]),
    redelegation_count: maybeNumber(row["redelegation_count"]) ?? 0,
    redelegated_trust_id: row["redelegated_trust_id"] ?? null,
    deleted_at: null,
    // Keystone repeats members of the request there.
    extra: JSON.stringify(extraOf(attributesOf(row["extra"]), TRUST_MEMBERS)),
  }),
  back: {
    where: "t.deleted_at is null",
    change: (row) => ({
      expires_at: timeText(row["expires_at"]),
      expires_at_int: microsecondsOf(row["expires_at"]),
    }),
  },
};

/** Also roles that were deleted: a trust of a deleted role is not valid. */
export const trustRoleTransfer: TableTransfer = {
  from: "trust_role",
  named: ["trust_id", "role_id"],
  columns: ["trust_id", "role_id"],
  uses: { trust: ["id", "deleted_at"] },
  joins: "join trust s on s.id = t.trust_id",
  where: "s.deleted_at is null",
  references: { trust_id: { table: "trust", ifMissing: "left-out" } },
  to: "trust_role",
  key: ["trust_id", "role_id"],
  toRow: (row) => ({ trust_id: row["trust_id"] ?? "", role_id: row["role_id"] ?? "" }),
  back: { joins: "join trust s on s.id = t.trust_id", where: "s.deleted_at is null" },
};
