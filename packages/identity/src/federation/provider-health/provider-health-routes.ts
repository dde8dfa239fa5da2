/** `/identity_providers/{idp_id}/health`: whether logins through a provider work, and until when. */
import { Type } from "typebox";

import { FindingView } from "../../identity-providers/protocols/protocol-schema.js";
import { DAY_MS, formatSeconds, type Moment } from "../../platform/clock.js";
import { homeIn, type ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { bodyOf, nullable } from "../../platform/http/validation/schema-parts.js";
import type { ProtocolHealth, ReadProviderHealth } from "./provider-health.js";

export interface ProviderHealthRoutesDeps {
  readonly readProviderHealth: ReadProviderHealth;
}

const Time = nullable(Type.String());

const ProtocolHealthView = Type.Object({
  id: Type.String(),
  type: nullable(Type.String()),
  status: Type.Enum(["healthy", "attention", "disabled", "unknown"]),
  problems: Type.Array(Type.String()),
  /** Whether logins need what the provider publishes. */
  reads_documents: Type.Boolean(),
  /** What was downloaded from the provider, and when last. */
  documents: Type.Array(Type.Object({ kind: Type.String(), read_at: Type.String() })),
  /** Downloads that fail. */
  failures: Type.Array(
    Type.Object({
      kind: Type.String(),
      reason: Type.String(),
      failed_at: Type.String(),
      failing_since: Type.String(),
    }),
  ),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      algorithm: Type.String(),
      expires_at: Time,
      fault: nullable(Type.String()),
      /** Whose it is, where the provider has several entities. */
      entity: nullable(Type.String()),
    }),
  ),
  metadata_valid_until: Time,
  last_login_at: Time,
  last_refused: nullable(
    Type.Object({
      id: Type.String(),
      step: Type.String(),
      reason: Type.String(),
      refused_at: Type.String(),
    }),
  ),
  /** The findings of the last check of the settings in force. */
  last_check: nullable(
    Type.Object({
      checked_at: Type.String(),
      checks: Type.Array(FindingView),
    }),
  ),
  /** Per day in UTC, newest first: at most 31. */
  logins: Type.Array(Type.Object({ day: Type.String(), succeeded: Type.Integer(), refused: Type.Integer() })),
});

const ProviderHealthView = Type.Object({
  id: Type.String(),
  enabled: Type.Boolean(),
  /** Federated users of the provider. */
  user_count: Type.Integer(),
  protocols: Type.Array(ProtocolHealthView),
});

export function addProviderHealthRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { readProviderHealth }: ProviderHealthRoutesDeps,
): void {
  createRoutes(server, "identity providers")("GET", `${place.prefix}/identity_providers/:idp_id/health`, {
    access: "identity:list_protocols",
    home: homeIn(place, "identity_provider_health", "idp_id"),
    summary: "Shows whether logins through an identity provider work",
    response: bodyOf("health", ProviderHealthView),
    handle: async ({ params }) => {
      const { id, enabled, userCount, protocols } = await readProviderHealth(params.idp_id);
      return { health: { id, enabled, user_count: userCount, protocols: protocols.map(viewOf) } };
    },
  });
}

const timeOf = (moment: Moment | null | undefined): string | null =>
  moment === null || moment === undefined ? null : formatSeconds(moment);

function viewOf(protocol: ProtocolHealth) {
  const { id, type, status, problems, documents, failed, keys, validUntil, days, lastFailed } = protocol;
  const { readsDocuments, lastCheck } = protocol;
  const lastProvedAt = days.find((day) => day.lastProvedAt !== null)?.lastProvedAt;
  return {
    id,
    type,
    status,
    problems: [...problems],
    reads_documents: readsDocuments,
    documents: documents.map(({ kind, readAt }) => ({ kind, read_at: formatSeconds(readAt) })),
    failures: failed.map(({ kind, reason, failedAt, failingSince }) => ({
      kind,
      reason,
      failed_at: formatSeconds(failedAt),
      failing_since: formatSeconds(failingSince),
    })),
    keys: keys.map((key) => ({
      id: key.id,
      algorithm: key.algorithm,
      expires_at: timeOf(key.expiresAt),
      fault: key.fault ?? null,
      entity: key.entity ?? null,
    })),
    metadata_valid_until: timeOf(validUntil),
    last_login_at: timeOf(lastProvedAt),
    last_refused:
      lastFailed === undefined
        ? null
        : {
            id: lastFailed.id,
            step: lastFailed.step,
            reason: lastFailed.reason,
            refused_at: formatSeconds(lastFailed.failedAt),
          },
    last_check:
      lastCheck === undefined
        ? null
        : {
            checked_at: formatSeconds(lastCheck.checkedAt),
            checks: [...lastCheck.checks],
          },
    logins: days.map(({ day, ...counts }) => ({
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      succeeded: counts.proved,
      refused: counts.failed,
    })),
  };
}
