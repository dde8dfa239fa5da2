import { Type } from "typebox";
import { expect, it } from "vitest";

import {
  createProtocolSettings,
  settingsSchema,
  type SettingsType,
} from "../../src/identity-providers/protocols/protocol-settings.js";

function typeOf(type: string, secrets: readonly string[]): SettingsType {
  return {
    type,
    schema: settingsSchema(type, { pin: Type.String(), client_id: Type.String() }),
    secrets,
    check: () => {},
    logsBrowsersIn: () => false,
  };
}

it("have no secret that is a public member of another type, where it would be taken away", () => {
  expect(() => createProtocolSettings([typeOf("one", ["pin"]), typeOf("two", ["pin"])])).not.toThrow();
  expect(() => createProtocolSettings([typeOf("one", ["pin"]), typeOf("two", [])])).toThrow(
    'settings of type two: "pin" is a secret of another type',
  );
});
