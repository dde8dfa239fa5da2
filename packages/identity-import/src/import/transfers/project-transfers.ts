/** Domains, projects and tags. */
import { Id, NewProject, PROJECT_MEMBERS, TagName } from "@hamkit/identity/import-support/api-rules";

import { kept, leftOut } from "../api-rules.js";
import type { SourceRow } from "../source/keystone-source.js";
import { isAbsent, isTrue } from "../source/source-values.js";
import {
  OF_DOMAIN,
  type TableTransfer,
  type TargetRow,
  type TransferContext,
  type WayBack,
} from "../table-transfer.js";
import { extraIn } from "./imported-attributes.js";
import { optionRows, optionsOf } from "./option-names.js";

/** The row that is the domain of all domains. Keystone never shows it. */
export const ROOT_DOMAIN = "<<keystone.domain.root>>";

const COLUMNS = ["id", "name", "extra", "description", "enabled", "domain_id", "parent_id", "is_domain"];
const OPTIONS = {
  joins: "left join project_option o on o.project_id = t.id",
  expressions: { option_id: "o.option_id", option_value: "o.option_value" },
  uses: { project_option: ["project_id", "option_id", "option_value"] },
  groupedBy: "id",
};

const { name, options } = NewProject.properties.project.properties;
const RULES = { id: kept(Id), name: kept(name) };

function toRow(row: SourceRow, context: TransferContext): TargetRow {
  const isDomain = isTrue(row["is_domain"]);
  return {
    id: row["id"] ?? "",
    domain_id: isDomain ? null : (row["domain_id"] ?? ""),
    parent_id: isDomain ? null : parentOf(row, context),
    is_domain: isDomain,
    name: row["name"] ?? "",
    description: row["description"] ?? null,
    enabled: isTrue(row["enabled"]),
    options: JSON.stringify(optionsOf(context, options.properties)),
    extra: extraIn(row, { known: PROJECT_MEMBERS }, context),
  };
}

/** The parent; the domain, if the API would refuse the parent. So no project is lost, and none inherits from another domain. */
function parentOf(row: SourceRow, { note }: TransferContext): string {
  const { parent_id: parent, parent_domain: parentDomain, domain_id: domain, unreached } = row;
  const reason = isAbsent(parent)
    ? "names no existing project"
    : !isAbsent(unreached)
      ? "is in a cycle of parents"
      : !isAbsent(parentDomain) && parentDomain !== domain
        ? "belongs to another domain"
        : undefined;
  if (reason === undefined) return parent ?? "";
  note("parent_id", `${reason}: the project is placed directly below its domain`);
  return domain ?? "";
}

const BACK: WayBack = {
  change: (row) => ({ domain_id: row["domain_id"] === null ? ROOT_DOMAIN : String(row["domain_id"]) }),
  parts: (row, context) => optionRows("project", row, context),
};

/** From the domains downwards: a project's parent is inserted before it. Projects without a parent are roots, those of a cycle come last. */
const DOWNWARDS = {
  prologue: `with recursive tree (id, level) as (
    select p.id, 0 from project p where p.id <> '${ROOT_DOMAIN}' and (p.is_domain or p.parent_id is null
      or p.parent_id = '${ROOT_DOMAIN}' or not exists (select 1 from project q where q.id = p.parent_id))
    union all
    select p.id, tree.level + 1 from project p join tree on p.parent_id = tree.id where not p.is_domain)`,
  joins: "left join tree on tree.id = t.id",
  where: "not t.is_domain",
  order: "tree.level is null, tree.level, t.id",
};

export const domainTransfer: TableTransfer = {
  from: "project",
  columns: COLUMNS,
  ...OPTIONS,
  where: `t.is_domain and t.id <> '${ROOT_DOMAIN}'`,
  order: "t.id",
  rules: RULES,
  to: "project",
  key: ["id"],
  unique: ["domain_id", "name"],
  toRow,
  back: { ...BACK, where: "t.is_domain" },
};

export const projectTransfer: TableTransfer = {
  from: "project",
  columns: COLUMNS,
  ...OPTIONS,
  ...DOWNWARDS,
  joins: `${DOWNWARDS.joins} ${OPTIONS.joins}`,
  expressions: {
    ...OPTIONS.expressions,
    unreached: "case when tree.id is null then t.id end",
    parent_domain: `(select case when q.is_domain then q.id else q.domain_id end from project q where q.id = t.parent_id)`,
  },
  references: { domain_id: OF_DOMAIN, parent_id: { table: "project", ifMissing: "cleared" } },
  rules: RULES,
  to: "project",
  key: ["id"],
  unique: ["domain_id", "name"],
  toRow,
  back: { ...BACK, ...DOWNWARDS },
};

export const tagTransfer: TableTransfer = {
  from: "project_tag",
  named: ["project_id", "name"],
  columns: ["project_id", "name"],
  references: { project_id: { table: "project", ifMissing: "left-out", isRequired: true } },
  rules: { name: leftOut(TagName) },
  to: "project_tag",
  key: ["project_id", "name"],
  toRow: (row) => ({ project_id: row["project_id"] ?? "", name: row["name"] ?? "" }),
  back: {},
};
