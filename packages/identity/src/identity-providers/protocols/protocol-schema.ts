/** Schemas of protocols in requests and responses. */
import { Type } from "typebox";

import { BooleanParameter } from "../../platform/http/query.js";
import { bodyOf, nullable } from "../../platform/http/validation/schema-parts.js";
import { SchemaError } from "../../platform/http/validation/validation.js";
import { CHECK_STATUSES } from "./protocol-report.js";
import type { ProtocolSettings, ProtocolSettingsChange, ProtocolSettingsDraft } from "./protocol-settings.js";

const MappingId = Type.String({ minLength: 1, maxLength: 64 });
const AttributeName = Type.String({ maxLength: 64 });

export interface ProtocolDraft {
  readonly mapping_id: string;
  readonly remote_id_attribute?: string | null;
  readonly settings?: ProtocolSettingsDraft | null;
}

/** `mapping_id` may be left out next to `settings` alone: {@link requireMappingId}. */
export interface ProtocolChange {
  readonly mapping_id?: string;
  readonly remote_id_attribute?: string;
  readonly settings?: ProtocolSettingsChange | null;
}

/** @throws {SchemaError} Neither a mapping nor settings: Keystone, which has no settings, requires the mapping. */
export function requireMappingId(change: ProtocolChange): void {
  if (change.mapping_id !== undefined || change.settings !== undefined) return;
  const reason = "'mapping_id' is a required property";
  throw new SchemaError({ path: ["protocol"], value: change, reason });
}

/** The query of PUT and PATCH: `?strict` stores nothing if a check fails. */
export const StrictQuery = Type.Object({ strict: Type.Optional(BooleanParameter) });

/** A finding of a check. */
export const FindingView = Type.Object({
  check: Type.String(),
  status: Type.Enum([...CHECK_STATUSES]),
  message: Type.String(),
  proposal: Type.Optional(
    Type.Object({
      remote_id: Type.Optional(Type.String()),
      settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});

/** The bodies of requests and responses, with the settings of all types. */
export function createProtocolSchemas({ draftSchema, changeSchema, viewSchema }: ProtocolSettings) {
  const view = {
    id: Type.String(),
    mapping_id: Type.String(),
    settings: Type.Optional(viewSchema),
    links: Type.Object({ self: Type.String(), identity_provider: Type.String() }),
  };
  return {
    NewProtocol: bodyOf(
      "protocol",
      Type.Object(
        {
          mapping_id: MappingId,
          remote_id_attribute: Type.Optional(nullable(AttributeName)),
          settings: Type.Optional(draftSchema),
        },
        { additionalProperties: false },
      ),
    ),
    ChangedProtocol: bodyOf(
      "protocol",
      Type.Object(
        {
          mapping_id: Type.Optional(MappingId),
          remote_id_attribute: Type.Optional(AttributeName),
          settings: Type.Optional(changeSchema),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
    ),
    ProtocolView: Type.Object(view),
    /** In responses to changes. Protocols without settings have neither `checks` nor `register`. */
    CheckedProtocolView: Type.Object({
      ...view,
      checks: Type.Optional(Type.Array(FindingView)),
      register: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
    /** In lists. */
    ListedProtocol: Type.Object({
      ...view,
      idp_id: Type.String(),
      remote_id_attribute: nullable(Type.String()),
    }),
  };
}
