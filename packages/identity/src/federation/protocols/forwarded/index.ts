/** Assertions that a trusted front end forwards, also for protocols without settings. */
import { failed, passed } from "../../provider-checks/check.js";
import type { ProtocolType } from "../protocol-type.js";
import { createForwardedVerifier, type ForwardingSettings } from "./forwarded-assertion.js";
import { checkForwardedSettings, ForwardedSchema, type ForwardedSettings } from "./forwarded-settings.js";

const FRONT_END = passed("the service accepts assertions from a front end");
const NO_FRONT_END = failed(
  "the service accepts no assertions from front ends: set IDENTITY_FORWARDED_ASSERTION_SECRET and " +
    "IDENTITY_FORWARDED_ASSERTION_FROM",
);

/** @param frontEnd `undefined` if none is trusted. */
export const createForwardedProtocol = (
  frontEnd: ForwardingSettings | undefined,
): ProtocolType<ForwardedSettings> => ({
  type: "forwarded",
  title: "a trusted front end",
  schema: ForwardedSchema,
  secrets: [],
  defaultSettings: { type: "forwarded" },
  // All users of a front end share its address, and it has authenticated them itself.
  isLimited: false,
  loginChecks: [],
  check: checkForwardedSettings,
  logsBrowsersIn: () => true,
  checks: () => ({ "front-end": async () => [frontEnd === undefined ? NO_FRONT_END : FRONT_END] }),
  register: () => ({}),
  open: () => createForwardedVerifier(frontEnd),
});
