/** The settings of trusts. */
import { onOrOff, wholeNumber, type Options } from "../platform/option-parsers.js";

export const TRUST_OPTIONS = {
  allowsRedelegation: {
    name: "IDENTITY_ALLOW_REDELEGATION",
    parser: onOrOff,
    help: "allow trustees to pass trusts on: on or off",
    standard: "off",
  },
  maxRedelegationCount: {
    name: "IDENTITY_MAX_REDELEGATION_COUNT",
    parser: wholeNumber({ from: 1, to: 100 }),
    help: "how often a trust may be passed on",
    standard: "3",
  },
} satisfies Options;
