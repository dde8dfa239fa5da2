/** Schemas of protocols in requests and responses. */
import { Type, type Static, type TObject, type TUnsafe } from "typebox";

import { bodyOf, nullable } from "../platform/http/validation/schema-parts.js";
import { ProtocolSettingsDraft, ProtocolSettingsView } from "./protocol-settings.js";

const MappingId = Type.String({ minLength: 1, maxLength: 64 });
const AttributeName = Type.String({ maxLength: 64 });
const settings = Type.Optional(ProtocolSettingsDraft);

const Draft = Type.Object(
  { mapping_id: MappingId, remote_id_attribute: Type.Optional(nullable(AttributeName)), settings },
  { additionalProperties: false },
);
export type ProtocolDraft = Static<typeof Draft>;

export const NewProtocol = bodyOf("protocol", Draft);

const Change = requiredLast(
  Type.Object(
    { mapping_id: MappingId, remote_id_attribute: Type.Optional(AttributeName), settings },
    { additionalProperties: false, minProperties: 1 },
  ),
);
export type ProtocolChange = Static<typeof Change>;

export const ChangedProtocol = bodyOf("protocol", Change);

const view = {
  id: Type.String(),
  mapping_id: Type.String(),
  settings: Type.Optional(ProtocolSettingsView),
  links: Type.Object({ self: Type.String(), identity_provider: Type.String() }),
};

export const ProtocolView = Type.Object(view);
/** In lists. */
export const ListedProtocol = Type.Object({
  ...view,
  idp_id: Type.String(),
  remote_id_attribute: nullable(Type.String()),
});

/** The schema with `required` last: Keystone checks it last, and the first fault is reported. */
function requiredLast<Schema extends TObject>(schema: Schema): TUnsafe<Static<Schema>> {
  const { required, ...others } = schema as Schema & { readonly required: readonly string[] };
  return Type.Unsafe<Static<Schema>>({ ...others, required });
}
