/** Schemas of protocols in requests and responses. */
import { Type, type Static } from "typebox";

import { BooleanParameter } from "../../platform/http/validation/boolean-parameter.js";
import { bodyOf, nullable } from "../../platform/http/validation/schema-parts.js";
import { SchemaError } from "../../platform/http/validation/validation.js";
import { CHECK_STATUSES } from "./protocol-report.js";
import { ProtocolSettingsChange } from "./protocol-settings-change.js";
import { ProtocolSettingsDraft, ProtocolSettingsView } from "./protocol-settings.js";

const MappingId = Type.String({ minLength: 1, maxLength: 64 });
const AttributeName = Type.String({ maxLength: 64 });

const Draft = Type.Object(
  {
    mapping_id: MappingId,
    remote_id_attribute: Type.Optional(nullable(AttributeName)),
    settings: Type.Optional(ProtocolSettingsDraft),
  },
  { additionalProperties: false },
);
export type ProtocolDraft = Static<typeof Draft>;

export const NewProtocol = bodyOf("protocol", Draft);

/** `mapping_id` may be left out next to `settings` alone: {@link requireMappingId}. */
const Change = Type.Object(
  {
    mapping_id: Type.Optional(MappingId),
    remote_id_attribute: Type.Optional(AttributeName),
    settings: Type.Optional(ProtocolSettingsChange),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type ProtocolChange = Static<typeof Change>;

export const ChangedProtocol = bodyOf("protocol", Change);

/** @throws {SchemaError} Neither a mapping nor settings: Keystone, which has no settings, requires the mapping. */
export function requireMappingId(change: ProtocolChange): void {
  if (change.mapping_id !== undefined || change.settings !== undefined) return;
  const reason = "'mapping_id' is a required property";
  throw new SchemaError({ path: ["protocol"], value: change, reason });
}

/** The query of PUT and PATCH: `?strict` stores nothing if a check fails. */
export const StrictQuery = Type.Object({ strict: Type.Optional(BooleanParameter) });

const view = {
  id: Type.String(),
  mapping_id: Type.String(),
  settings: Type.Optional(ProtocolSettingsView),
  links: Type.Object({ self: Type.String(), identity_provider: Type.String() }),
};

export const ProtocolView = Type.Object(view);
/** In responses to changes. Protocols without settings have neither `checks` nor `register`. */
export const CheckedProtocolView = Type.Object({
  ...view,
  checks: Type.Optional(
    Type.Array(
      Type.Object({ check: Type.String(), status: Type.Enum([...CHECK_STATUSES]), message: Type.String() }),
    ),
  ),
  register: Type.Optional(Type.Record(Type.String(), Type.String())),
});
/** In lists. */
export const ListedProtocol = Type.Object({
  ...view,
  idp_id: Type.String(),
  remote_id_attribute: nullable(Type.String()),
});
