/** Regions, services, endpoints, endpoint filters and policies. */
import { attributesOf, isTrue } from "../source/source-values.js";
import type { SourceReference, TableTransfer } from "../table-transfer.js";

const leftOutWithout = (table: string): SourceReference => ({ table, ifMissing: "left-out" });

/** From the outermost inwards: a region's parent is imported before it. */
export const regionTransfer: TableTransfer = {
  from: "region",
  columns: ["id", "description", "parent_region_id", "extra"],
  prologue: `with recursive tree (id, level) as (
    select r.id, 0 from region r
    where r.parent_region_id is null or not exists (select 1 from region p where p.id = r.parent_region_id)
    union all
    select r.id, tree.level + 1 from region r join tree on r.parent_region_id = tree.id)`,
  joins: "join tree on tree.id = t.id",
  order: "tree.level, t.id",
  references: { parent_region_id: { table: "region", ifMissing: "cleared" } },
  to: "region",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    parent_region_id: row["parent_region_id"] ?? null,
    description: row["description"] ?? "",
    extra: JSON.stringify(attributesOf(row["extra"])),
  }),
  back: {},
};

export const serviceTransfer: TableTransfer = {
  from: "service",
  columns: ["id", "type", "enabled", "extra"],
  to: "service",
  key: ["id"],
  toRow(row) {
    // Keystone has the name among the other attributes.
    const { name, ...extra } = attributesOf(row["extra"]);
    return {
      id: row["id"] ?? "",
      type: row["type"] ?? "",
      name: typeof name === "string" ? name : "",
      enabled: isTrue(row["enabled"]),
      extra: JSON.stringify(extra),
    };
  },
  back: {
    change: (row) => ({
      extra: JSON.stringify({ ...attributesOf(String(row["extra"])), name: String(row["name"]) }),
    }),
  },
};

export const endpointTransfer: TableTransfer = {
  from: "endpoint",
  columns: ["id", "interface", "service_id", "url", "extra", "enabled", "region_id"],
  references: { service_id: leftOutWithout("service"), region_id: { table: "region", ifMissing: "cleared" } },
  to: "endpoint",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    service_id: row["service_id"] ?? "",
    region_id: row["region_id"] ?? null,
    interface: row["interface"] ?? "",
    url: row["url"] ?? "",
    enabled: isTrue(row["enabled"]),
    extra: JSON.stringify(attributesOf(row["extra"])),
  }),
  back: {},
};

export const endpointGroupTransfer: TableTransfer = {
  from: "endpoint_group",
  columns: ["id", "name", "description", "filters"],
  to: "endpoint_group",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    name: row["name"] ?? "",
    description: row["description"] ?? null,
    filters: JSON.stringify(attributesOf(row["filters"])),
  }),
  back: {},
};

export const projectEndpointTransfer: TableTransfer = {
  from: "project_endpoint",
  named: ["project_id", "endpoint_id"],
  columns: ["endpoint_id", "project_id"],
  references: { endpoint_id: leftOutWithout("endpoint"), project_id: leftOutWithout("project") },
  to: "project_endpoint",
  key: ["project_id", "endpoint_id"],
  toRow: (row) => ({ project_id: row["project_id"] ?? "", endpoint_id: row["endpoint_id"] ?? "" }),
  back: {},
};

export const projectEndpointGroupTransfer: TableTransfer = {
  from: "project_endpoint_group",
  named: ["project_id", "endpoint_group_id"],
  columns: ["endpoint_group_id", "project_id"],
  references: { endpoint_group_id: leftOutWithout("endpoint_group"), project_id: leftOutWithout("project") },
  to: "project_endpoint_group",
  key: ["project_id", "endpoint_group_id"],
  toRow: (row) => ({
    project_id: row["project_id"] ?? "",
    endpoint_group_id: row["endpoint_group_id"] ?? "",
  }),
  back: {},
};

export const policyTransfer: TableTransfer = {
  from: "policy",
  columns: ["id", "type", "blob", "extra"],
  to: "policy",
  key: ["id"],
  toRow(row) {
    // A JSON text that contains the policy.
    const blob: unknown = JSON.parse(row["blob"] ?? '""');
    return {
      id: row["id"] ?? "",
      type: row["type"] ?? "",
      blob: typeof blob === "string" ? blob : JSON.stringify(blob),
      extra: JSON.stringify(attributesOf(row["extra"])),
    };
  },
  back: { change: (row) => ({ blob: JSON.stringify(row["blob"]) }) },
};

export const policyAssociationTransfer: TableTransfer = {
  from: "policy_association",
  columns: ["id", "policy_id", "endpoint_id", "service_id", "region_id"],
  references: {
    policy_id: leftOutWithout("policy"),
    endpoint_id: leftOutWithout("endpoint"),
    service_id: leftOutWithout("service"),
    region_id: leftOutWithout("region"),
  },
  to: "policy_association",
  key: ["endpoint_id", "service_id", "region_id"],
  toRow: (row) => ({
    policy_id: row["policy_id"] ?? "",
    endpoint_id: row["endpoint_id"] ?? null,
    service_id: row["service_id"] ?? null,
    region_id: row["region_id"] ?? null,
  }),
  back: { change: (_row, { newId }) => ({ id: newId() }) },
};
