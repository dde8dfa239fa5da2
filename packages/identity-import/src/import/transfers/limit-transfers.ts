/** Registered limits and limits. */
import { Amount, Description, Name, RegionId, Uuid } from "@hamkit/identity/import-support/api-rules";

import { kept, leftOut } from "../api-rules.js";
import { maybeNumber } from "../source/source-values.js";
import { OF_DOMAIN, type TableTransfer } from "../table-transfer.js";
import { ROOT_DOMAIN } from "./project-transfers.js";

export const registeredLimitTransfer: TableTransfer = {
  from: "registered_limit",
  columns: ["id", "service_id", "region_id", "resource_name", "default_limit", "description"],
  references: {
    service_id: { table: "service", ifMissing: "left-out", isRequired: true },
    region_id: { table: "region", ifMissing: "left-out" },
  },
  rules: {
    service_id: kept(Uuid),
    region_id: kept(RegionId),
    resource_name: kept(Name),
    default_limit: leftOut(Amount),
    description: kept(Description),
  },
  to: "registered_limit",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    service_id: row["service_id"] ?? "",
    region_id: row["region_id"] ?? null,
    resource_name: row["resource_name"] ?? "",
    default_limit: maybeNumber(row["default_limit"], "default_limit") ?? 0,
    description: row["description"] ?? null,
  }),
  back: {},
};

export const limitTransfer: TableTransfer = {
  from: "limit",
  columns: ["id", "registered_limit_id", "project_id", "resource_limit", "description"],
  // The limited domain, or the project's.
  expressions: {
    domain_id: `coalesce(t.domain_id, (select nullif(p.domain_id, '${ROOT_DOMAIN}') from project p where p.id = t.project_id))`,
  },
  uses: { limit: ["domain_id"], project: ["id", "domain_id"] },
  references: {
    registered_limit_id: { table: "registered_limit", ifMissing: "left-out", isRequired: true },
    project_id: { table: "project", ifMissing: "left-out" },
    domain_id: OF_DOMAIN,
  },
  rules: { resource_limit: leftOut(Amount), description: kept(Description) },
  to: "limit",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    registered_limit_id: row["registered_limit_id"] ?? "",
    domain_id: row["domain_id"] ?? "",
    project_id: row["project_id"] ?? null,
    resource_limit: maybeNumber(row["resource_limit"], "resource_limit") ?? 0,
    description: row["description"] ?? null,
  }),
  back: {
    // Of a project's limit, Keystone names the project alone.
    change: (row) => ({ domain_id: row["project_id"] === null ? String(row["domain_id"]) : null }),
  },
};
