/** Changes of a protocol's settings: PATCH sends only the members that change. */
import { Type, type Static } from "typebox";

import { nullable } from "../../platform/http/validation/schema-parts.js";
import { createSchemaCheck } from "../../platform/http/validation/validation.js";
import {
  ProtocolSettingsDraft,
  SECRET_NAMES,
  SETTINGS_TYPES,
  type PublicSettings,
} from "./protocol-settings.js";

/** The merged settings are validated by {@link ProtocolSettingsDraft}; this schema names the secrets, for messages without them. */
const Members = Type.Object(
  {
    type: Type.Optional(Type.Enum([...SETTINGS_TYPES])),
    ...Object.fromEntries(
      SECRET_NAMES.map((name) => [name, Type.Optional(nullable(Type.String({ writeOnly: true })))]),
    ),
  },
  {
    additionalProperties: true,
    description:
      "Members as in a PUT. Those left out stay, null removes one. With another type than the stored one, all are replaced.",
  },
);

export const ProtocolSettingsChange = nullable(Members);
export type ProtocolSettingsChange = NonNullable<Static<typeof ProtocolSettingsChange>>;

const secretNames: ReadonlySet<string> = new Set(SECRET_NAMES);
const checkWhole = createSchemaCheck(Type.Object({ settings: ProtocolSettingsDraft }));

/**
 * The settings after a change. Secrets are as sent: `null` deletes one, and those left out are not among them.
 *
 * @throws {SchemaError} The merged settings are invalid.
 */
export function mergeSettings(
  known: PublicSettings | null,
  change: ProtocolSettingsChange,
): ProtocolSettingsDraft {
  const { type = known?.type } = change;
  const merged = {
    ...(known?.type === type && known),
    ...change,
    ...(type !== undefined && { type }),
  };
  const settings = Object.fromEntries(
    Object.entries(merged).filter(([name, value]) => value !== null || secretNames.has(name)),
  );
  const error = checkWhole({ settings });
  if (error !== undefined) throw error;
  return settings as unknown as ProtocolSettingsDraft;
}
