/** Identity providers, protocols, mappings, service providers, and the users of providers. */
import { MappingRulesError } from "../../mappings/mapping-errors.js";
import { compileMapping } from "../../mappings/rules/compile-mapping.js";
import { isAbsent, isTrue, jsonOf, maybeMoment, maybeNumber, timeText } from "../source/source-values.js";
import type { TableTransfer } from "../table-transfer.js";

export const identityProviderTransfer: TableTransfer = {
  from: "identity_provider",
  columns: ["id", "enabled", "description", "domain_id", "authorization_ttl"],
  references: { domain_id: { table: "project", ifMissing: "left-out" } },
  to: "identity_provider",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    domain_id: row["domain_id"] ?? "",
    enabled: isTrue(row["enabled"]),
    description: row["description"] ?? null,
    authorization_ttl: maybeNumber(row["authorization_ttl"]),
    authorized_domains: null,
  }),
  back: {
    change(row, { note }) {
      if (row["authorized_domains"] !== null) note("authorized_domains", "has no place in Keystone");
      return {};
    },
  },
};

export const remoteIdTransfer: TableTransfer = {
  from: "idp_remote_ids",
  named: ["idp_id", "remote_id"],
  columns: ["idp_id", "remote_id"],
  expressions: { position: "row_number() over (partition by t.idp_id order by t.remote_id)" },
  references: { idp_id: { table: "identity_provider", ifMissing: "left-out" } },
  to: "identity_provider_remote_id",
  key: ["remote_id"],
  toRow(row, { leaveOut, note }) {
    const given = row["remote_id"] ?? "";
    if (isAbsent(row["idp_id"])) return leaveOut("idp_id", "belongs to no identity provider");
    if (given.trim() !== given) note("remote_id", "blanks around it are removed");
    return { remote_id: given.trim(), idp_id: row["idp_id"], position: Number(row["position"]) - 1 };
  },
  back: {},
};

export const mappingTransfer: TableTransfer = {
  from: "mapping",
  columns: ["id", "rules"],
  newerColumns: ["schema_version"],
  to: "mapping",
  key: ["id"],
  toRow(row, { leaveOut }) {
    const rules = jsonOf(row["rules"] ?? "[]");
    try {
      const { schemaVersion } = compileMapping({ rules, schemaVersion: row["schema_version"] });
      return { id: row["id"] ?? "", rules: JSON.stringify(rules), schema_version: schemaVersion };
    } catch (error) {
      if (error instanceof MappingRulesError) return leaveOut("rules", `refused: ${error.message}`);
      throw error;
    }
  },
  back: {
    change(row, { note, hasColumn }) {
      const version = String(row["schema_version"]);
      if (version !== "1.0" && !hasColumn("mapping", "schema_version"))
        note("schema_version", `${version} has no place in this release of Keystone, which takes it as 1.0`);
      // A JSON text that contains the rules.
      return { rules: JSON.stringify(row["rules"]) };
    },
  },
};

export const protocolTransfer: TableTransfer = {
  from: "federation_protocol",
  named: ["idp_id", "id"],
  columns: ["id", "idp_id", "mapping_id", "remote_id_attribute"],
  references: { idp_id: { table: "identity_provider", ifMissing: "left-out" } },
  to: "protocol",
  key: ["idp_id", "id"],
  toRow: (row) => ({
    idp_id: row["idp_id"] ?? "",
    id: row["id"] ?? "",
    mapping_id: row["mapping_id"] ?? "",
    remote_id_attribute: row["remote_id_attribute"] ?? null,
    settings: null,
  }),
  back: {
    change(row, { note }) {
      if (row["settings"] !== null)
        note("settings", "have no place in Keystone: an Apache module authenticates its users");
      return {};
    },
  },
};

export const serviceProviderTransfer: TableTransfer = {
  from: "service_provider",
  columns: ["id", "auth_url", "sp_url", "description", "enabled", "relay_state_prefix"],
  to: "service_provider",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    auth_url: row["auth_url"] ?? "",
    sp_url: row["sp_url"] ?? "",
    description: row["description"] ?? null,
    enabled: isTrue(row["enabled"]),
    relay_state_prefix: row["relay_state_prefix"] ?? "",
  }),
  back: {},
};

export const federatedUserTransfer: TableTransfer = {
  from: "federated_user",
  named: ["idp_id", "protocol_id", "unique_id"],
  columns: ["user_id", "idp_id", "protocol_id", "unique_id", "display_name"],
  expressions: {
    kept_name: `coalesce(
      (select l.name from local_user l where l.user_id = t.user_id),
      (select min(f.display_name) from federated_user f where f.user_id = t.user_id))`,
  },
  uses: { local_user: ["user_id", "name"] },
  references: {
    user_id: { table: "user", ifMissing: "left-out" },
    idp_id: { table: "identity_provider", ifMissing: "left-out" },
  },
  to: "federated_user",
  key: ["idp_id", "protocol_id", "unique_id"],
  toRow(row, { note }) {
    const { display_name: name, kept_name: kept } = row;
    if (!isAbsent(name) && name !== kept) note("display_name", `a user has one name: "${kept}" is kept`);
    return {
      idp_id: row["idp_id"] ?? "",
      protocol_id: row["protocol_id"] ?? "",
      unique_id: row["unique_id"] ?? "",
      user_id: row["user_id"] ?? "",
    };
  },
  back: {
    joins: 'join "user" u on u.id = t.user_id',
    expressions: {
      display_name: "u.name",
      known_protocol: "(select p.id from protocol p where p.idp_id = t.idp_id and p.id = t.protocol_id)",
    },
    change: (row, { leaveOut }) =>
      row["known_protocol"] === null ? leaveOut("protocol_id", "names a protocol that does not exist") : {},
  },
};

const MINUTE_MS = 60_000;

/** A membership through several providers lasts as long as the longest. */
export const expiringMembershipTransfer: TableTransfer = {
  from: "expiring_user_group_membership",
  named: ["user_id", "group_id"],
  columns: ["user_id", "group_id", "idp_id", "last_verified"],
  expressions: { membership: "t.user_id || '/' || t.group_id", authorization_ttl: "i.authorization_ttl" },
  uses: { identity_provider: ["id", "authorization_ttl"] },
  joins: "left join identity_provider i on i.id = t.idp_id",
  order: "t.user_id, t.group_id",
  groupedBy: "membership",
  references: {
    user_id: { table: "user", ifMissing: "left-out" },
    group_id: { table: "group", ifMissing: "left-out" },
  },
  to: "federated_group_member",
  key: ["group_id", "user_id"],
  toRow(row, { group, defaultAuthorizationTtl }) {
    const ends = group.map(
      ({ last_verified: verified, authorization_ttl: ttl }) =>
        (maybeMoment(verified) ?? 0) + (maybeNumber(ttl) ?? defaultAuthorizationTtl) * MINUTE_MS,
    );
    return {
      group_id: row["group_id"] ?? "",
      user_id: row["user_id"] ?? "",
      expires_at: Math.max(...ends),
    };
  },
  back: {
    // Keystone keeps the provider and the login, this service the end.
    joins: `left join identity_provider i on i.id =
      (select min(f.idp_id) from federated_user f where f.user_id = t.user_id)`,
    expressions: { idp_id: "i.id", authorization_ttl: "i.authorization_ttl" },
    change(row, { defaultAuthorizationTtl, leaveOut }) {
      const { idp_id: providerId, authorization_ttl: ttl, expires_at: end } = row;
      if (providerId === null) return leaveOut("user_id", "the user has no identity provider");
      const minutes = ttl === null ? defaultAuthorizationTtl : Number(ttl);
      return { last_verified: timeText(Number(end) - minutes * MINUTE_MS) };
    },
  },
};
