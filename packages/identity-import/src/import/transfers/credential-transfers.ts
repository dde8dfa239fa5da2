/** Credentials, application credentials with their access rules, and trusts. */
import {
  CREDENTIAL_MEMBERS,
  extraOf,
  Id,
  Name,
  NewTrust,
  RuleMethod,
  RulePath,
  TRUST_MEMBERS,
} from "@hamkit/identity/import-support/api-rules";
import { messageOf } from "@hamkit/identity/import-support/command-line";
import { blobPlace } from "@hamkit/identity/import-support/storage";

import { kept, leftOut } from "../api-rules.js";
import {
  ColumnError,
  isAbsent,
  isTrue,
  maybeFlag,
  maybeMicroseconds,
  maybeMoment,
  maybeNumber,
  microsBehind,
  microsecondsOf,
  timeText,
} from "../source/source-values.js";
import type { SourceRow } from "../source/keystone-source.js";
import type {
  ReturnContext,
  ReturnedRow,
  TableTransfer,
  TargetRow,
  TargetValue,
  TransferContext,
} from "../table-transfer.js";
import { attributesIn, extraIn } from "./imported-attributes.js";
import { checkHash, isReadInKeystone } from "./user-transfers.js";

const NEW_TRUST = NewTrust.properties.trust.properties;

export const credentialTransfer: TableTransfer = {
  from: "credential",
  columns: ["id", "user_id", "project_id", "type", "extra", "key_hash", "encrypted_blob"],
  references: {
    user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    project_id: { table: "project", ifMissing: "left-out" },
  },
  to: "credential",
  key: ["id"],
  volatile: ["last_step"],
  toRow(row, context) {
    const { openBlob, seal, leaveOut } = context;
    if (openBlob === undefined)
      return leaveOut("encrypted_blob", "Keystone's credential keys are needed: --credential-keys");
    const type = row["type"] ?? "";
    const place = {
      id: row["id"] ?? "",
      userId: row["user_id"] ?? "",
      projectId: row["project_id"] ?? null,
      type,
    };
    let blob: string;
    try {
      blob = plainBlob(type, openBlob(row["encrypted_blob"] ?? "", row["key_hash"]));
    } catch (error) {
      return leaveOut("encrypted_blob", messageOf(error));
    }
    // Clients read it as text.
    if (blob.includes("\0")) return leaveOut("encrypted_blob", "contains the character U+0000");
    return {
      id: place.id,
      user_id: place.userId,
      project_id: place.projectId,
      type,
      sealed_blob: seal(Buffer.from(blob), blobPlace(place)),
      extra: extraIn(row, { known: CREDENTIAL_MEMBERS }, context),
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
  // A row for each of its access rules.
  joins: `left join application_credential_access_rule x on x.application_credential_id = t.internal_id
    left join access_rule a on a.id = x.access_rule_id`,
  expressions: { rule_number: "x.access_rule_id", rule_id: "a.external_id", rule_user_id: "a.user_id" },
  uses: {
    application_credential: ["internal_id"],
    application_credential_access_rule: ["application_credential_id", "access_rule_id"],
    access_rule: ["id", "external_id", "user_id"],
  },
  order: "t.id",
  groupedBy: "id",
  references: {
    user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    project_id: { table: "project", ifMissing: "left-out" },
  },
  rules: { name: kept(Name) },
  to: "application_credential",
  key: ["id"],
  unique: ["user_id", "name"],
  toRow(row, context) {
    if (isAbsent(row["project_id"]))
      return context.leaveOut("project_id", "has no project: no login can use it");
    const lost = context.group.find((rule) => isLost(rule, context));
    if (lost !== undefined)
      return context.leaveOut(
        "access_rules",
        "one of its access rules does not exist, belongs to another user or is not imported: without it the credential could do more",
        lost["rule_number"],
      );
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

/** Whether an access rule of an application credential can't be imported. */
function isLost(row: SourceRow, { isLeftOut }: TransferContext): boolean {
  const { rule_number: number, rule_id: id, rule_user_id: userId, user_id: owner } = row;
  if (isAbsent(number)) return false;
  return isAbsent(id) || userId !== owner || isLeftOut("access_rule", id);
}

/** `2026-12-31T23:59:59.000000`, from microseconds since 1970. @throws {ColumnError} */
function microsecondText(text: string | null | undefined): string | null {
  if (isAbsent(text)) return null;
  const microseconds = Number(text);
  // The years that the text can name.
  if (
    !Number.isSafeInteger(microseconds) ||
    microseconds < 0 ||
    microseconds >= Date.UTC(9999, 11, 31) * 1000
  )
    throw new ColumnError("expires_at", text, "is not a time");
  const seconds = new Date(Math.floor(microseconds / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(microseconds % 1_000_000).padStart(6, "0")}`;
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
  joins: "left join application_credential a on a.internal_id = t.application_credential_id",
  references: {
    application_credential_id: { table: "application_credential", ifMissing: "left-out", isRequired: true },
    role_id: { table: "role", ifMissing: "left-out", isRequired: true },
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
  references: { user_id: { table: "user", ifMissing: "left-out", isRequired: true } },
  rules: { service: kept(Id), path: kept(RulePath), method: kept(RuleMethod) },
  to: "access_rule",
  key: ["id"],
  toRow(row, { leaveOut }) {
    if (isAbsent(row["id"])) return leaveOut("external_id", "is null: expected an id");
    return {
      id: row["id"],
      user_id: row["user_id"] ?? "",
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
  joins: `left join application_credential a on a.internal_id = t.application_credential_id
    left join access_rule r on r.id = t.access_rule_id`,
  references: {
    application_credential_id: { table: "application_credential", ifMissing: "left-out", isRequired: true },
  },
  to: "application_credential_access_rule",
  key: ["application_credential_id", "access_rule_id"],
  toRow(row, { isLeftOut, leaveOut }) {
    const { application_credential_id: credential, access_rule_id: rule } = row;
    if (isAbsent(rule) || isLeftOut("access_rule", rule))
      return leaveOut("access_rule_id", "refers to an access rule that does not exist or is not imported");
    return { application_credential_id: credential ?? "", access_rule_id: rule };
  },
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
  joins: "left join chain on chain.id = t.id",
  where: "t.deleted_at is null",
  expressions: { unreached: "case when chain.id is null then t.id end" },
  order: "chain.level is null, chain.level, t.id",
  references: {
    trustor_user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    trustee_user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    project_id: { table: "project", ifMissing: "left-out" },
    redelegated_trust_id: { table: "trust", ifMissing: "left-out" },
  },
  to: "trust",
  key: ["id"],
  volatile: ["remaining_uses"],
  rules: {
    remaining_uses: leftOut(NEW_TRUST.redelegation_count),
    redelegation_count: leftOut(NEW_TRUST.redelegation_count),
  },
  toRow(row, context) {
    if (!isAbsent(row["unreached"]))
      return context.leaveOut(
        "redelegated_trust_id",
        "is redelegated from a trust that was deleted, does not exist, or leads back to this one",
        row["redelegated_trust_id"],
      );
    return {
      id: row["id"] ?? "",
      trustor_user_id: row["trustor_user_id"] ?? "",
      trustee_user_id: row["trustee_user_id"] ?? "",
      project_id: row["project_id"] ?? null,
      impersonation: isTrue(row["impersonation"]),
      expires_at:
        maybeMicroseconds(row["expires_at_int"], "expires_at_int") ??
        maybeMoment(row["expires_at"], "expires_at"),
      expires_micros: microsBehind(row["expires_at_int"]),
      remaining_uses: maybeNumber(row["remaining_uses"], "remaining_uses"),
      redelegation_count: maybeNumber(row["redelegation_count"], "redelegation_count") ?? 0,
      redelegated_trust_id: row["redelegated_trust_id"] ?? null,
      deleted_at: null,
      // Keystone repeats members of the request there.
      extra: JSON.stringify(extraOf(attributesIn(row, context), TRUST_MEMBERS)),
    };
  },
  back: {
    where: "t.deleted_at is null",
    change: (row) => ({
      expires_at: timeText(row["expires_at"]),
      expires_at_int: microsecondsOf(row["expires_at"], row["expires_micros"]),
    }),
  },
};

/** Also roles that were deleted: a trust of a deleted role is not valid. */
export const trustRoleTransfer: TableTransfer = {
  from: "trust_role",
  named: ["trust_id", "role_id"],
  columns: ["trust_id", "role_id"],
  uses: { trust: ["id", "deleted_at"] },
  joins: "left join trust s on s.id = t.trust_id",
  where: "s.deleted_at is null",
  references: { trust_id: { table: "trust", ifMissing: "left-out", isRequired: true } },
  to: "trust_role",
  key: ["trust_id", "role_id"],
  toRow: (row) => ({ trust_id: row["trust_id"] ?? "", role_id: row["role_id"] ?? "" }),
  back: { joins: "join trust s on s.id = t.trust_id", where: "s.deleted_at is null" },
};
