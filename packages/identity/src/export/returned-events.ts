/** Revocation events on their way back: tokens that the Keystone issued, and that were revoked here, stay revoked there. */
import { timeText } from "../import/source/source-values.js";
import type { ReturnedTable } from "./read-rows.js";

const SECOND_MS = 1000;

export const returnedEvents: ReturnedTable = {
  from: "revocation_event",
  columns: ["audit_id", "audit_chain_id", "user_id", "project_id", "role_id", "trust_id"],
  to: "revocation_event",
  key: ["id"],
  back: {
    change(row, { leaveOut }) {
      if (row["identity_provider_id"] !== null || row["protocol_id"] !== null)
        return leaveOut("identity_provider_id", "Keystone has no revocation of all tokens of a provider");
      return {
        domain_id: (row["domain_id"] ?? row["domain_scope_id"] ?? null) as string | null,
        expires_at: timeText(row["expires_at"]),
        // Keystone's whole seconds: up, so that no revoked token is valid again.
        issued_before: timeText(Math.ceil(Number(row["issued_before"]) / SECOND_MS) * SECOND_MS),
        revoked_at: timeText(row["revoked_at"]),
      };
    },
  },
};
