/** Roles, implied roles and role assignments. */
import {
  Id,
  Name,
  NewRole,
  PROHIBITED_IMPLIED_ROLES,
  ROLE_MEMBERS,
} from "@hamkit/identity/import-support/api-rules";
import { sql } from "@hamkit/identity/import-support/storage";

import { kept } from "../api-rules.js";
import type { SourceRow } from "../source/keystone-source.js";
import { isAbsent, isTrue } from "../source/source-values.js";
import type { ReturnedRow, TableTransfer, TargetKey, TargetRow, TransferContext } from "../table-transfer.js";
import { extraIn } from "./imported-attributes.js";
import { optionRows, optionsOf } from "./option-names.js";

/** The domain of a global role: a text, so that Keystone's names of them are unique. */
const NO_DOMAIN = "<<null>>";

export const roleTransfer: TableTransfer = {
  from: "role",
  columns: ["id", "name", "extra", "description"],
  expressions: {
    domain_id: `nullif(t.domain_id, '${NO_DOMAIN}')`,
    option_id: "o.option_id",
    option_value: "o.option_value",
  },
  uses: { role: ["domain_id"], role_option: ["role_id", "option_id", "option_value"] },
  joins: "left join role_option o on o.role_id = t.id",
  order: "t.id",
  groupedBy: "id",
  references: { domain_id: { table: "project", ifMissing: "left-out", isDomain: true } },
  rules: { id: kept(Id), name: kept(Name) },
  to: "role",
  key: ["id"],
  unique: ["domain_id", "name"],
  toRow: (row, context) => ({
    id: row["id"] ?? "",
    domain_id: row["domain_id"] ?? null,
    name: row["name"] ?? "",
    description: row["description"] ?? null,
    options: JSON.stringify(optionsOf(context, NewRole.properties.role.properties.options.properties)),
    extra: extraIn(row, { known: ROLE_MEMBERS }, context),
  }),
  back: {
    change: (row) => ({ domain_id: row["domain_id"] === null ? NO_DOMAIN : String(row["domain_id"]) }),
    parts: (row, context) => optionRows("role", row, context),
  },
};

export const impliedRoleTransfer: TableTransfer = {
  from: "implied_role",
  named: ["prior_role_id", "implied_role_id"],
  columns: ["prior_role_id", "implied_role_id"],
  expressions: {
    implied_name: "(select i.name from role i where i.id = t.implied_role_id)",
    is_wider: `(select p.id from role p join role i on i.id = t.implied_role_id
      where p.id = t.prior_role_id and p.domain_id = '${NO_DOMAIN}' and i.domain_id <> '${NO_DOMAIN}')`,
  },
  uses: { role: ["id", "name", "domain_id"] },
  references: {
    prior_role_id: { table: "role", ifMissing: "left-out" },
    implied_role_id: { table: "role", ifMissing: "left-out" },
  },
  to: "implied_role",
  key: ["prior_role_id", "implied_role_id"],
  toRow(row, { leaveOut }) {
    if (PROHIBITED_IMPLIED_ROLES.has(row["implied_name"] ?? ""))
      return leaveOut("implied_role_id", `the API refuses it: no role may imply ${row["implied_name"]}`);
    if (!isAbsent(row["is_wider"]))
      return leaveOut("implied_role_id", "the API refuses it: a global role may not imply one of a domain");
    return { prior_role_id: row["prior_role_id"] ?? "", implied_role_id: row["implied_role_id"] ?? "" };
  },
  back: {},
};

const ASSIGNMENT_COLUMNS = ["type", "actor_id", "target_id", "role_id", "inherited"];
/** @param isUser A condition. */
const knownActor = (isUser: string): string => `case when ${isUser}
  then (select u.id from "user" u where u.id = t.actor_id) else (select g.id from "group" g where g.id = t.actor_id) end`;
const ASSIGNMENT_KEY = ["user_id", "group_id", "target_kind", "target_id", "role_id", "is_inherited"];

/** By its columns SQLite would search among all assignments of the role: a million for each key. */
function isAssignment([userId, groupId, kind, targetId, roleId, isInherited]: TargetKey) {
  return sql`coalesce(user_id, group_id) = ${userId ?? groupId} and target_kind = ${kind}
    and coalesce(target_id, '') = ${targetId ?? ""} and role_id = ${roleId} and is_inherited = ${isInherited}`;
}

const KINDS: Readonly<Record<string, Pick<TargetRow, "target_kind"> & { readonly actor: "user" | "group" }>> =
  {
    UserProject: { actor: "user", target_kind: "project" },
    GroupProject: { actor: "group", target_kind: "project" },
    UserDomain: { actor: "user", target_kind: "domain" },
    GroupDomain: { actor: "group", target_kind: "domain" },
    UserSystem: { actor: "user", target_kind: "system" },
    GroupSystem: { actor: "group", target_kind: "system" },
  };

/** Actors that have no row, because they were deleted or belong to a directory, are kept as in Keystone. */
function toAssignment(row: SourceRow, { note, leaveOut }: TransferContext): TargetRow | undefined {
  const kind = KINDS[row["type"] ?? ""];
  if (kind === undefined) return leaveOut("type", "is no type of assignments", row["type"]);
  if (!isAbsent(row["other_target"]))
    return leaveOut("target_id", "is a project: expected a domain", row["target_id"]);
  const { actor, target_kind } = kind;
  if (isAbsent(row["known_actor"]))
    note("actor_id", `the ${actor} has no row, because of a deletion or a directory: the assignment is kept`);
  return {
    user_id: actor === "user" ? (row["actor_id"] ?? "") : null,
    group_id: actor === "group" ? (row["actor_id"] ?? "") : null,
    target_kind: target_kind ?? "",
    target_id: target_kind === "system" ? null : (row["target_id"] ?? ""),
    role_id: row["role_id"] ?? "",
    is_inherited: isTrue(row["inherited"]),
  };
}

function fromAssignment(row: TargetRow): ReturnedRow {
  const actor = row["user_id"] === null ? "group" : "user";
  const [type = ""] =
    Object.entries(KINDS).find(
      ([, kind]) => kind.actor === actor && kind.target_kind === row["target_kind"],
    ) ?? [];
  return {
    type,
    actor_id: String(row["user_id"] ?? row["group_id"]),
    target_id: String(row["target_id"] ?? "system"),
    inherited: Boolean(row["is_inherited"]),
  };
}

export const assignmentTransfer: TableTransfer = {
  from: "assignment",
  named: ["type", "actor_id", "target_id", "role_id"],
  columns: ASSIGNMENT_COLUMNS,
  expressions: {
    known_actor: knownActor("t.type in ('UserProject', 'UserDomain')"),
    other_target: `case when t.type in ('UserDomain', 'GroupDomain')
      then (select d.id from project d where d.id = t.target_id and not d.is_domain) end`,
  },
  references: {
    target_id: { table: "project", ifMissing: "left-out", isRequired: true },
    role_id: { table: "role", ifMissing: "left-out", isRequired: true },
  },
  // Sorted as the records of imported rows are: at a million of them, half the time.
  order: ASSIGNMENT_COLUMNS.map((column) => `t.${column}`).join(", "),
  to: "assignment",
  key: ASSIGNMENT_KEY,
  isRow: isAssignment,
  toRow: toAssignment,
  back: { where: "t.target_kind <> 'system'", change: fromAssignment },
};

export const systemAssignmentTransfer: TableTransfer = {
  from: "system_assignment",
  named: ["type", "actor_id", "role_id"],
  columns: ASSIGNMENT_COLUMNS,
  expressions: { known_actor: knownActor("t.type = 'UserSystem'") },
  references: { role_id: { table: "role", ifMissing: "left-out", isRequired: true } },
  to: "assignment",
  key: ASSIGNMENT_KEY,
  isRow: isAssignment,
  toRow: toAssignment,
  back: { where: "t.target_kind = 'system'", change: fromAssignment },
};
