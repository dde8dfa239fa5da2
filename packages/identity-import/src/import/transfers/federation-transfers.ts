/** Identity providers, protocols, mappings, service providers, and the users of providers. */
import {
  compileMapping,
  IdentityProviderAttributes,
  MappingRulesError,
  NewServiceProvider,
  RemoteId,
} from "@hamkit/identity/import-support/api-rules";

import { cleared, kept, leftOut } from "../api-rules.js";
import { isAbsent, isTrue, jsonOf, maybeMoment, maybeNumber, timeText } from "../source/source-values.js";
import { OF_DOMAIN, type TableTransfer } from "../table-transfer.js";

export const identityProviderTransfer: TableTransfer = {
  from: "identity_provider",
  columns: ["id", "enabled", "description", "domain_id", "authorization_ttl"],
  references: { domain_id: OF_DOMAIN },
  rules: { authorization_ttl: cleared(IdentityProviderAttributes.authorization_ttl) },
  to: "identity_provider",
  key: ["id"],
  toRow: (row) => ({
    id: row["id"] ?? "",
    domain_id: row["domain_id"] ?? "",
    enabled: isTrue(row["enabled"]),
    description: row["description"] ?? null,
    authorization_ttl: maybeNumber(row["authorization_ttl"], "authorization_ttl"),
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
  references: { idp_id: { table: "identity_provider", ifMissing: "left-out", isRequired: true } },
  rules: { remote_id: kept(RemoteId) },
  to: "identity_provider_remote_id",
  key: ["remote_id"],
  toRow(row, { leaveOut, note }) {
    const given = row["remote_id"] ?? "";
    if (given.trim() === "") return leaveOut("remote_id", "is blank", given);
    if (given.trim() !== given) note("remote_id", "blanks around it are removed");
    return { remote_id: given.trim(), idp_id: row["idp_id"] ?? "", position: Number(row["position"]) - 1 };
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
    try {
      const rules = jsonOf(row["rules"] ?? "[]");
      const { schemaVersion } = compileMapping({ rules, schemaVersion: row["schema_version"] });
      return { id: row["id"] ?? "", rules: JSON.stringify(rules), schema_version: schemaVersion };
    } catch (error) {
      if (error instanceof MappingRulesError) return leaveOut("rules", `refused: ${error.message}`);
      if (error instanceof SyntaxError) return leaveOut("rules", "is not JSON");
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
  references: {
    idp_id: { table: "identity_provider", ifMissing: "left-out", isRequired: true },
    // As in the API, a mapping may be deleted: logins fail until it exists again.
    mapping_id: { table: "mapping", ifMissing: "kept" },
  },
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

const SP = NewServiceProvider.properties.service_provider.properties;

export const serviceProviderTransfer: TableTransfer = {
  from: "service_provider",
  columns: ["id", "auth_url", "sp_url", "description", "enabled", "relay_state_prefix"],
  rules: { auth_url: leftOut(SP.auth_url), sp_url: leftOut(SP.sp_url) },
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
    other_protocol: `case when not exists (select 1 from federation_protocol p
      where p.idp_id = t.idp_id and p.id = t.protocol_id) then t.protocol_id end`,
  },
  uses: { local_user: ["user_id", "name"], federation_protocol: ["idp_id", "id"] },
  references: {
    user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    idp_id: { table: "identity_provider", ifMissing: "left-out", isRequired: true },
  },
  to: "federated_user",
  key: ["idp_id", "protocol_id", "unique_id"],
  toRow(row, { note, leaveOut }) {
    if (!isAbsent(row["other_protocol"]))
      return leaveOut("protocol_id", "names a protocol that does not exist", row["protocol_id"]);
    const { display_name: name, kept_name: keptName } = row;
    if (!isAbsent(name) && name !== keptName)
      note("display_name", `a user has one name: "${keptName}" is kept`);
    return {
      idp_id: row["idp_id"] ?? "",
      protocol_id: row["protocol_id"] ?? "",
      unique_id: row["unique_id"] ?? "",
      user_id: row["user_id"] ?? "",
      is_exact: true,
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
    user_id: { table: "user", ifMissing: "left-out", isRequired: true },
    group_id: { table: "group", ifMissing: "left-out", isRequired: true },
  },
  to: "federated_group_member",
  key: ["group_id", "user_id"],
  toRow(row, { group, defaultAuthorizationTtl }) {
    const ends = group.map(
      ({ last_verified: verified, authorization_ttl: ttl }) =>
        (maybeMoment(verified, "last_verified") ?? 0) +
        (maybeNumber(ttl, "authorization_ttl") ?? defaultAuthorizationTtl) * MINUTE_MS,
    );
    return {
      group_id: row["group_id"] ?? "",
      user_id: row["user_id"] ?? "",
      expires_at: Math.max(...ends),
    };
  },
  back: {
    // Keystone has no rows of a directory's groups.
    where: "t.group_id not in (select public_id from id_mapping)",
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
