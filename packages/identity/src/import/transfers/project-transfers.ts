/** Domains, projects and tags. */
import type { SourceRow } from "../source/keystone-source.js";
import { attributesOf, isTrue } from "../source/source-values.js";
import type { TableTransfer, TargetRow, TransferContext, WayBack } from "../table-transfer.js";
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

function toRow(row: SourceRow, context: TransferContext): TargetRow {
  const isDomain = isTrue(row["is_domain"]);
  return {
    id: row["id"] ?? "",
    domain_id: isDomain ? null : (row["domain_id"] ?? ""),
    parent_id: isDomain ? null : (row["parent_id"] ?? ""),
    is_domain: isDomain,
    name: row["name"] ?? "",
    description: row["description"] ?? null,
    enabled: isTrue(row["enabled"]),
    options: JSON.stringify(optionsOf(context)),
    extra: JSON.stringify(attributesOf(row["extra"])),
  };
}

const BACK: WayBack = {
  change: (row) => ({ domain_id: row["domain_id"] === null ? ROOT_DOMAIN : String(row["domain_id"]) }),
  parts: (row, context) => optionRows("project", row, context),
};

/** From the domains downwards: a project's parent is inserted before it. The SQL is the same here and there. */
const DOWNWARDS = {
  prologue: `with recursive tree (id, level) as (
    select p.id, 0 from project p where p.is_domain and p.id <> '${ROOT_DOMAIN}'
    union all
    select p.id, tree.level + 1 from project p join tree on p.parent_id = tree.id where not p.is_domain)`,
  joins: "join tree on tree.id = t.id",
  where: "not t.is_domain",
  order: "tree.level, t.id",
};

export const domainTransfer: TableTransfer = {
  from: "project",
  columns: COLUMNS,
  ...OPTIONS,
  where: `t.is_domain and t.id <> '${ROOT_DOMAIN}'`,
  order: "t.id",
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
  references: {
    domain_id: { table: "project", ifMissing: "left-out" },
    parent_id: { table: "project", ifMissing: "left-out" },
  },
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
  references: { project_id: { table: "project", ifMissing: "left-out" } },
  to: "project_tag",
  key: ["project_id", "name"],
  toRow: (row) => ({ project_id: row["project_id"] ?? "", name: row["name"] ?? "" }),
  back: {},
};
