/** Users with their passwords, groups and permanent memberships. */
import {
  GROUP_MEMBERS,
  Id,
  isKnownPasswordHash,
  Name,
  NewGroup,
  NewUser,
  USER_MEMBERS,
  UserOptionChanges,
} from "@hamkit/identity/import-support/api-rules";

import { kept } from "../api-rules.js";
import {
  isAbsent,
  dateText,
  isTrue,
  maybeMicroseconds,
  maybeMoment,
  maybeNumber,
  microsBehind,
  microsecondsOf,
  timeText,
} from "../source/source-values.js";
import {
  OF_DOMAIN,
  type ReturnContext,
  type ReturnedRow,
  type TableTransfer,
  type TargetRow,
  type TransferContext,
} from "../table-transfer.js";
import { describeHash, UNKNOWN_HASH } from "./hash-kinds.js";
import { extraIn } from "./imported-attributes.js";
import { optionRows, optionsOf } from "./option-names.js";

const USER_ATTRIBUTES = {
  known: USER_MEMBERS,
  typed: { description: NewUser.properties.user.properties.description },
};

/** Users of directories have rows here, whose names need not be unique as those of Keystone's are: of several, the first. */
const UNLESS_TWIN = (id: string) => `not exists (select 1 from nonlocal_user n where n.user_id = ${id})
  or not exists (select 1 from nonlocal_user n join "user" o on o.id = n.user_id join "user" u on u.id = ${id}
    where o.domain_id = u.domain_id and lower(o.name) = lower(u.name) and o.id < u.id)`;

/** Groups of directories have rows here, for their grants and members; Keystone has none of them. */
const UNLESS_MIRRORED = (id: string) => `${id} not in (select public_id from id_mapping)`;

/** A user's name is in exactly one of three tables: of users with passwords here, of users of another directory, or shadow users. */
export const userTransfer: TableTransfer = {
  from: "user",
  columns: ["id", "extra", "enabled", "default_project_id", "created_at", "last_active_at", "domain_id"],
  expressions: {
    local_name: "l.name",
    failed_auth_count: "l.failed_auth_count",
    failed_auth_at: "l.failed_auth_at",
    nonlocal_name: "n.name",
    federated_name: "(select min(f.display_name) from federated_user f where f.user_id = t.id)",
    option_id: "o.option_id",
    option_value: "o.option_value",
  },
  uses: {
    local_user: ["user_id", "name", "failed_auth_count", "failed_auth_at"],
    nonlocal_user: ["user_id", "name"],
    federated_user: ["user_id", "display_name"],
    user_option: ["user_id", "option_id", "option_value"],
  },
  joins: `left join local_user l on l.user_id = t.id
    left join nonlocal_user n on n.user_id = t.id
    left join user_option o on o.user_id = t.id`,
  order: "t.id",
  groupedBy: "id",
  references: { domain_id: OF_DOMAIN },
  rules: { id: kept(Id), name: kept(Name) },
  to: "user",
  key: ["id"],
  unique: ["domain_id", "name"],
  volatile: ["last_active_at", "failed_logins", "last_failed_at"],
  toRow(row, context) {
    const { id, local_name: local, nonlocal_name: nonlocal, federated_name: federated } = row;
    const name = local ?? nonlocal ?? federated;
    if (isAbsent(name)) context.note("id", "the user has no name in Keystone: the id becomes the name");
    if (isAbsent(row["enabled"]))
      context.note("enabled", "is null: the user is disabled, as Keystone refuses the login");
    const createdAt = maybeMoment(row["created_at"], "created_at");
    return {
      id: id ?? "",
      domain_id: row["domain_id"] ?? "",
      name: name ?? id ?? "",
      enabled: isTrue(row["enabled"]),
      default_project_id: row["default_project_id"] ?? null,
      options: JSON.stringify(optionsOf(context, UserOptionChanges.properties)),
      created_at: createdAt ?? context.now,
      last_active_at: maybeMoment(row["last_active_at"], "last_active_at"),
      failed_logins: maybeNumber(row["failed_auth_count"], "failed_auth_count") ?? 0,
      last_failed_at: maybeMoment(row["failed_auth_at"], "failed_auth_at"),
      is_federated: isAbsent(local) && isAbsent(nonlocal) && !isAbsent(federated),
      extra: extraIn(row, USER_ATTRIBUTES, context),
    };
  },
  back: {
    where: UNLESS_TWIN("t.id"),
    expressions: { is_nonlocal: "exists (select 1 from nonlocal_user n where n.user_id = t.id)" },
    change: (row) => ({
      created_at: timeText(row["created_at"]),
      last_active_at: dateText(row["last_active_at"]),
    }),
    parts: (row, context) => [...localUserRows(row, context), ...optionRows("user", row, context)],
  },
};

/** The name and the failed logins of a user with a password here. */
function localUserRows(row: TargetRow, { numberOf }: ReturnContext): (readonly [string, ReturnedRow])[] {
  if (Boolean(row["is_federated"]) || Boolean(row["is_nonlocal"])) return [];
  const id = String(row["id"]);
  const local = {
    id: numberOf("local_user", id),
    user_id: id,
    domain_id: String(row["domain_id"]),
    name: String(row["name"]),
    failed_auth_count: Number(row["failed_logins"]),
    failed_auth_at: timeText(row["last_failed_at"]),
  };
  return [["local_user", local]];
}

/** The newest password is the current one. */
export const passwordTransfer: TableTransfer = {
  from: "password",
  named: ["user_id"],
  columns: [
    "id",
    "password_hash",
    "self_service",
    "created_at",
    "created_at_int",
    "expires_at",
    "expires_at_int",
  ],
  expressions: {
    user_id: "l.user_id",
    number: "row_number() over (partition by t.local_user_id order by t.created_at_int, t.id)",
  },
  uses: { local_user: ["id", "user_id"], password: ["local_user_id"] },
  joins: "left join local_user l on l.id = t.local_user_id",
  references: { user_id: { table: "user", ifMissing: "left-out", isRequired: true } },
  to: "user_password",
  key: ["user_id", "number"],
  toRow(row, context) {
    const hash = row["password_hash"] ?? "";
    if (hash !== "") checkHash("password_hash", hash, context);
    const createdAt = maybeMicroseconds(row["created_at_int"], "created_at_int");
    return {
      user_id: row["user_id"] ?? "",
      number: Number(row["number"]),
      hash,
      is_self_service: isTrue(row["self_service"]),
      created_micros: microsBehind(row["created_at_int"]),
      expires_micros: microsBehind(row["expires_at_int"]),
      created_at:
        (createdAt === 0 ? null : createdAt) ?? maybeMoment(row["created_at"], "created_at") ?? context.now,
      expires_at:
        maybeMicroseconds(row["expires_at_int"], "expires_at_int") ??
        maybeMoment(row["expires_at"], "expires_at"),
    };
  },
  back: {
    omitted: ["id"],
    change(row, { hasNumber, numberOf, note, leaveOut }) {
      const [userId, number, hash] = [String(row["user_id"]), Number(row["number"]), String(row["hash"])];
      if (!hasNumber("local_user", userId))
        return leaveOut("user_id", "the user has no password in Keystone");
      const isReadable = hash !== "" && isReadInKeystone(hash);
      if (hash !== "" && !isReadable)
        note("hash", "Keystone can't read the hash (argon2id): it is not exported; set a new password");
      return {
        local_user_id: numberOf("local_user", userId),
        password_hash: isReadable ? hash : null,
        self_service: Boolean(row["is_self_service"]),
        created_at: timeText(row["created_at"]),
        // Keystone takes the newest: the number decides between those of one millisecond.
        created_at_int: microsecondsOf(row["created_at"], row["created_micros"] ?? Math.min(number, 999)),
        expires_at: timeText(row["expires_at"]),
        expires_at_int: microsecondsOf(row["expires_at"], row["expires_micros"]),
      };
    },
  },
};

/** Whether a release of Keystone verifies hashes of this kind. */
export function isReadInKeystone(hash: string): boolean {
  return describeHash(hash).kind !== UNKNOWN_HASH;
}

/** Reports a hash that is weak, or that no login can be verified with. */
export function checkHash(column: string, hash: string, { countHash, note }: TransferContext): void {
  const { kind, weakness } = describeHash(hash);
  countHash(kind);
  if (!isKnownPasswordHash(hash))
    note(column, `the hash (${kind}) can't be verified here: no login succeeds with it`);
  else if (weakness !== undefined) note(column, weakness);
}

export const groupTransfer: TableTransfer = {
  from: "group",
  columns: ["id", "domain_id", "name", "description", "extra"],
  references: { domain_id: OF_DOMAIN },
  rules: { id: kept(Id), name: kept(NewGroup.properties.group.properties.name) },
  to: "group",
  key: ["id"],
  unique: ["domain_id", "name"],
  toRow: (row, context) => ({
    id: row["id"] ?? "",
    domain_id: row["domain_id"] ?? "",
    name: row["name"] ?? "",
    description: row["description"] ?? null,
    extra: extraIn(row, { known: GROUP_MEMBERS }, context),
  }),
  back: { where: UNLESS_MIRRORED("t.id") },
};

export const membershipTransfer: TableTransfer = {
  from: "user_group_membership",
  named: ["user_id", "group_id"],
  columns: ["user_id", "group_id"],
  references: {
    user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    group_id: { table: "group", ifMissing: "left-out", isRequired: true },
  },
  to: "group_member",
  key: ["group_id", "user_id"],
  toRow: (row) => ({ group_id: row["group_id"] ?? "", user_id: row["user_id"] ?? "" }),
  back: { where: UNLESS_MIRRORED("t.group_id") },
};

/** Users whose passwords are in another directory. */
export const nonlocalUserTransfer: TableTransfer = {
  from: "nonlocal_user",
  named: ["user_id"],
  columns: ["user_id", "domain_id", "name"],
  references: { user_id: { table: "user", ifMissing: "left-out", isRequired: true } },
  to: "nonlocal_user",
  key: ["user_id"],
  toRow(row, { note }) {
    note(
      "user_id",
      "the user's password is in a directory: logins need the domain's configuration, and IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED",
    );
    return { user_id: row["user_id"] ?? "" };
  },
  back: {
    where: UNLESS_TWIN("t.user_id"),
    joins: 'join "user" u on u.id = t.user_id',
    expressions: { domain_id: "u.domain_id", name: "u.name" },
  },
};

/** The ids of users and groups of an LDAP directory. */
export const idMappingTransfer: TableTransfer = {
  from: "id_mapping",
  named: ["public_id"],
  columns: ["public_id", "domain_id", "local_id", "entity_type"],
  references: { domain_id: OF_DOMAIN },
  to: "id_mapping",
  key: ["public_id"],
  toRow(row, { note }) {
    note(
      "public_id",
      "belongs to an LDAP directory: the id is kept, and used with IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED",
    );
    return {
      public_id: row["public_id"] ?? "",
      domain_id: row["domain_id"] ?? "",
      local_id: row["local_id"] ?? "",
      entity_type: row["entity_type"] ?? "",
    };
  },
  back: {},
};
