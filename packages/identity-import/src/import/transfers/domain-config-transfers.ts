/** The configuration of domains. */
import { checkPath, isSensitive } from "@hamkit/identity/import-support/api-rules";
import { messageOf } from "@hamkit/identity/import-support/command-line";
import { secretPlace } from "@hamkit/identity/import-support/storage";

import type { SourceRow } from "../source/keystone-source.js";
import { OF_DOMAIN, type TableTransfer, type TargetRow, type TransferContext } from "../table-transfer.js";

const TABLE = {
  named: ["domain_id", "group", "option"],
  columns: ["domain_id", "group", "option", "value"],
  references: { domain_id: OF_DOMAIN },
  to: "domain_config",
  key: ["domain_id", "group_name", "option_name"],
} as const;

/** Options by their names: the table of Keystone's does not decide what is secret. */
function toRow(
  row: SourceRow,
  { usesDomainDrivers, seal, note, leaveOut }: TransferContext,
): TargetRow | undefined {
  const { domain_id: domainId, group, option, value: text } = row;
  const place = { domain_id: domainId ?? "", group_name: group ?? "", option_name: option ?? "" };
  const { domain_id, group_name, option_name } = place;
  try {
    checkPath({ group: group_name, option: option_name });
  } catch (error) {
    return leaveOut("option", messageOf(error));
  }
  if (isSensitive(group_name, option_name)) {
    const sealed = seal(Buffer.from(text ?? "null"), secretPlace(domain_id, group_name, option_name));
    return { ...place, value: null, sealed, is_ignored: null };
  }
  const value: unknown = parsed(text);
  if (value === undefined) return leaveOut("value", "is not JSON");
  const isForeign = group_name === "identity" && option_name === "driver" && value !== "sql";
  const isIgnored = isForeign && !usesDomainDrivers;
  if (isForeign)
    note(
      "value",
      `the driver ${JSON.stringify(value)} ${
        usesDomainDrivers
          ? value === "ldap"
            ? "has an effect with IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED=on: without it, users of this domain can't log in"
            : "is not offered: users of this domain can't log in"
          : "has no effect: Keystone ignores it without [identity] domain_specific_drivers_enabled and domain_configurations_from_database, so users of this domain log in as before"
      }`,
    );
  return { ...place, value: JSON.stringify(value), sealed: null, is_ignored: isIgnored ? true : null };
}

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

const fromPlace = (row: TargetRow) => ({
  group: String(row["group_name"]),
  option: String(row["option_name"]),
});

export const domainConfigTransfer: TableTransfer = {
  from: "whitelisted_config",
  ...TABLE,
  toRow,
  back: { where: "t.value is not null", change: fromPlace },
};

export const domainSecretTransfer: TableTransfer = {
  from: "sensitive_config",
  ...TABLE,
  toRow,
  back: {
    where: "t.sealed is not null",
    change(row, { unseal }) {
      const { group, option } = fromPlace(row);
      const place = secretPlace(String(row["domain_id"]), group, option);
      return { group, option, value: unseal(row["sealed"] as Buffer, place).toString() };
    },
  },
};
