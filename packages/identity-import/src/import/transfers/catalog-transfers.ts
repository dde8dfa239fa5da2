/** Regions, services, endpoints, endpoint filters and policies. */
import {
  ENDPOINT_MEMBERS,
  NewEndpoint,
  NewEndpointGroup,
  NewPolicy,
  NewRegion,
  NewService,
  POLICY_MEMBERS,
  REGION_MEMBERS,
  SERVICE_MEMBERS,
} from "@hamkit/identity/import-support/api-rules";

import { kept, leftOut, refusal } from "../api-rules.js";
import { attributesOf, isAbsent, isTrue } from "../source/source-values.js";
import type { SourceReference, TableTransfer } from "../table-transfer.js";
import { attributesIn, extraIn, withoutRefused } from "./imported-attributes.js";

const NEW_REGION = NewRegion.properties.region.properties;
const NEW_SERVICE = NewService.properties.service.properties;
const NEW_ENDPOINT = NewEndpoint.properties.endpoint.properties;
const ENDPOINT_ATTRIBUTES = {
  known: ENDPOINT_MEMBERS,
  typed: { name: NEW_ENDPOINT.name, description: NEW_ENDPOINT.description },
};

const leftOutWithout = (table: string): SourceReference => ({ table, ifMissing: "left-out" });
const required = (table: string): SourceReference => ({ ...leftOutWithout(table), isRequired: true });

/** From the outermost inwards: a region's parent is imported before it. Those of a cycle lose their parents. */
export const regionTransfer: TableTransfer = {
  from: "region",
  columns: ["id", "description", "parent_region_id", "extra"],
  prologue: `with recursive tree (id, level) as (
    select r.id, 0 from region r
    where r.parent_region_id is null or not exists (select 1 from region p where p.id = r.parent_region_id)
    union all
    select r.id, tree.level + 1 from region r join tree on r.parent_region_id = tree.id)`,
  joins: "left join tree on tree.id = t.id",
  expressions: { unreached: "case when tree.id is null then t.id end" },
  order: "tree.level is null, tree.level, t.id",
  references: { parent_region_id: { table: "region", ifMissing: "cleared" } },
  rules: { id: kept(NEW_REGION.parent_region_id), description: kept(NEW_REGION.description) },
  to: "region",
  key: ["id"],
  toRow(row, context) {
    const isInCycle = !isAbsent(row["unreached"]);
    if (isInCycle)
      context.note(
        "parent_region_id",
        "is in a cycle of parents: the reference is dropped",
        row["parent_region_id"],
      );
    return {
      id: row["id"] ?? "",
      parent_region_id: isInCycle ? null : (row["parent_region_id"] ?? null),
      description: row["description"] ?? "",
      extra: extraIn(row, { known: REGION_MEMBERS }, context),
    };
  },
  back: {},
};

export const serviceTransfer: TableTransfer = {
  from: "service",
  columns: ["id", "type", "enabled", "extra"],
  rules: { type: kept(NEW_SERVICE.type) },
  to: "service",
  key: ["id"],
  toRow(row, context) {
    // Keystone has the name among the other attributes.
    const { name, ...extra } = attributesIn(row, context);
    const reason = name === undefined || name === "" ? undefined : refusal(NEW_SERVICE.name, name);
    if (reason !== undefined)
      context.note(
        "extra",
        `the API refuses the name: ${reason}; ${typeof name === "string" ? "it is kept" : "it is dropped"}`,
        name,
      );
    return {
      id: row["id"] ?? "",
      type: row["type"] ?? "",
      name: typeof name === "string" ? name : "",
      enabled: isTrue(row["enabled"]),
      extra: JSON.stringify(withoutRefused(extra, { known: SERVICE_MEMBERS }, context)),
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
  references: { service_id: required("service"), region_id: { table: "region", ifMissing: "cleared" } },
  rules: { interface: leftOut(NEW_ENDPOINT.interface), url: kept(NEW_ENDPOINT.url) },
  to: "endpoint",
  key: ["id"],
  toRow: (row, context) => ({
    id: row["id"] ?? "",
    service_id: row["service_id"] ?? "",
    region_id: row["region_id"] ?? null,
    interface: row["interface"] ?? "",
    url: row["url"] ?? "",
    enabled: isTrue(row["enabled"]),
    extra: extraIn(row, ENDPOINT_ATTRIBUTES, context),
  }),
  back: {},
};

const { name: GroupName, filters: Filters } = NewEndpointGroup.properties.endpoint_group.properties;

export const endpointGroupTransfer: TableTransfer = {
  from: "endpoint_group",
  columns: ["id", "name", "description", "filters"],
  rules: { name: kept(GroupName) },
  to: "endpoint_group",
  key: ["id"],
  toRow(row, { leaveOut }) {
    const text = row["filters"];
    const filters = attributesOf(text, "filters");
    const other = Object.keys(filters).find((name) => !Object.hasOwn(Filters.properties, name));
    const reason =
      other === undefined
        ? refusal(Filters, filters)
        : `"${other}" is no attribute of endpoints to filter by`;
    // Without a filter it would have all endpoints.
    if (reason !== undefined || Object.keys(filters).length === 0)
      return leaveOut("filters", `the API refuses it: ${reason ?? "it is empty"}`, text);
    return {
      id: row["id"] ?? "",
      name: row["name"] ?? "",
      description: row["description"] ?? null,
      filters: JSON.stringify(filters),
    };
  },
  back: {},
};

export const projectEndpointTransfer: TableTransfer = {
  from: "project_endpoint",
  named: ["project_id", "endpoint_id"],
  columns: ["endpoint_id", "project_id"],
  references: { endpoint_id: required("endpoint"), project_id: required("project") },
  to: "project_endpoint",
  key: ["project_id", "endpoint_id"],
  toRow: (row) => ({ project_id: row["project_id"] ?? "", endpoint_id: row["endpoint_id"] ?? "" }),
  back: {},
};

export const projectEndpointGroupTransfer: TableTransfer = {
  from: "project_endpoint_group",
  named: ["project_id", "endpoint_group_id"],
  columns: ["endpoint_group_id", "project_id"],
  references: { endpoint_group_id: required("endpoint_group"), project_id: required("project") },
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
  rules: { type: kept(NewPolicy.properties.policy.properties.type) },
  to: "policy",
  key: ["id"],
  toRow(row, context) {
    // A JSON text that contains the policy.
    let blob: unknown;
    try {
      blob = JSON.parse(row["blob"] ?? '""');
    } catch {
      return context.leaveOut("blob", "is not JSON");
    }
    return {
      id: row["id"] ?? "",
      type: row["type"] ?? "",
      blob: typeof blob === "string" ? blob : JSON.stringify(blob),
      extra: extraIn(row, { known: POLICY_MEMBERS }, context),
    };
  },
  back: { change: (row) => ({ blob: JSON.stringify(row["blob"]) }) },
};

export const policyAssociationTransfer: TableTransfer = {
  from: "policy_association",
  columns: ["id", "policy_id", "endpoint_id", "service_id", "region_id"],
  references: {
    policy_id: required("policy"),
    endpoint_id: leftOutWithout("endpoint"),
    service_id: leftOutWithout("service"),
    region_id: leftOutWithout("region"),
  },
  to: "policy_association",
  key: ["endpoint_id", "service_id", "region_id"],
  toRow(row, { leaveOut }) {
    const {
      policy_id: policy,
      endpoint_id: endpoint = null,
      service_id: service = null,
      region_id: region = null,
    } = row;
    const isOfEndpoint = endpoint !== null && service === null && region === null;
    if (!isOfEndpoint && (endpoint !== null || service === null))
      return leaveOut("endpoint_id", "expected an endpoint, a service, or a service with a region");
    return { policy_id: policy ?? "", endpoint_id: endpoint, service_id: service, region_id: region };
  },
  back: { change: (_row, { newId }) => ({ id: newId() }) },
};
