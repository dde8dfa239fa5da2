/** The login protocols of a service, found by the type of settings. */
import {
  createProtocolSettings,
  type OpenedSettings,
} from "../../identity-providers/protocols/protocol-settings.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { ProtocolContext, ProtocolLogins, ProtocolType } from "./protocol-type.js";

export type ProtocolTypes = ReturnType<typeof createProtocolTypes>;

/** @param types In the order of the API's schemas and of lists. */
export function createProtocolTypes(types: readonly ProtocolType[]) {
  const byName = new Map(types.map((each) => [each.type, each]));
  return {
    types,
    settings: createProtocolSettings(types),

    /** `undefined` for settings of another release. */
    find: ({ type }: OpenedSettings): ProtocolType | undefined => byName.get(type),

    /** What logins need, by type. */
    open: (context: ProtocolContext): ReadonlyMap<string, ProtocolLogins> =>
      new Map(types.map((each) => [each.type, each.open(context)])),
  };
}

/** Verifies requests of logins, for logins and test logins, each by the type of the protocol's settings. */
export function verifyByType(logins: ReadonlyMap<string, ProtocolLogins>): ProtocolLogins["verify"] {
  return async (request, protocol) => {
    const { type } = protocol.settings;
    const found = logins.get(type);
    if (found !== undefined) return found.verify(request, protocol);
    const reason = `the protocol's settings type "${type}" has no login endpoint`;
    throw new AssertionRefusedError({ step: "settings", reason });
  };
}
