/** The configuration of domains. */
import { secretPlace } from "../../domain-config/domain-config-store.js";
import type { SourceRow } from "../source/keystone-source.js";
import type { TableTransfer, TargetRow } from "../table-transfer.js";

const TABLE = {
  named: ["domain_id", "group", "option"],
  columns: ["domain_id", "group", "option", "value"],
  references: { domain_id: { table: "project", ifMissing: "left-out" } },
  to: "domain_config",
  key: ["domain_id", "group_name", "option_name"],
} as const;

const placeOf = (row: SourceRow) => ({
  domain_id: row["domain_id"] ?? "",
  group_name: row["group"] ?? "",
  option_name: row["option"] ?? "",
});

const fromPlace = (row: TargetRow) => ({
  group: String(row["group_name"]),
  option: String(row["option_name"]),
});

export const domainConfigTransfer: TableTransfer = {
  from: "whitelisted_config",
  ...TABLE,
  toRow(row, { note }) {
    const place = placeOf(row);
    const value: unknown = JSON.parse(row["value"] ?? "null");
    if (place.group_name === "identity" && place.option_name === "driver" && value !== "sql")
      note("value", `the driver ${JSON.stringify(value)} is not offered: users of this domain can't log in`);
    return { ...place, value: JSON.stringify(value), sealed: null };
  },
  back: { where: "t.value is not null", change: fromPlace },
};

export const domainSecretTransfer: TableTransfer = {
  from: "sensitive_config",
  ...TABLE,
  toRow(row, { seal }) {
    const { domain_id, group_name, option_name } = placeOf(row);
    const text = Buffer.from(row["value"] ?? "null");
    return {
      domain_id,
      group_name,
      option_name,
      value: null,
      sealed: seal(text, secretPlace(domain_id, group_name, option_name)),
    };
  },
  back: {
    where: "t.sealed is not null",
    change(row, { unseal }) {
      const { group, option } = fromPlace(row);
      const place = secretPlace(String(row["domain_id"]), group, option);
      return { group, option, value: unseal(row["sealed"] as Buffer, place).toString() };
    },
  },
};
