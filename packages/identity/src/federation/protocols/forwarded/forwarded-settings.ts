/** The settings of protocols whose assertions a trusted front end forwards. */
import { Type, type Static } from "typebox";

import { ProtocolSettingsError } from "../../../identity-providers/identity-provider-errors.js";
import { settingsSchema } from "../../../identity-providers/protocols/protocol-settings.js";
import { attributePrefix, Word } from "../settings-parts.js";

/** A trusted front end that forwards the assertion in headers. */
export const ForwardedSchema = settingsSchema("forwarded", {
  header: Type.Optional(Word),
  header_prefix: Type.Optional(Word),
  ...attributePrefix,
});

export type ForwardedSettings = Omit<Static<typeof ForwardedSchema>, "secrets_set">;

/** @throws {ProtocolSettingsError} */
export function checkForwardedSettings(draft: ForwardedSettings): void {
  if (draft.header !== undefined && draft.header_prefix !== undefined)
    throw new ProtocolSettingsError('settings: "header" and "header_prefix" exclude each other');
}
