/** The settings of tokens: how long they and their keys live. */
import { wholeNumber, type Options } from "../platform/option-parsers.js";

export const TOKEN_OPTIONS = {
  lifetimeSeconds: {
    name: "IDENTITY_TOKEN_LIFETIME",
    parser: wholeNumber({ from: 60, to: 31_536_000 }),
    help: "lifetime of tokens in seconds",
    standard: "3600",
  },
  expiredWindowSeconds: {
    name: "IDENTITY_EXPIRED_TOKEN_WINDOW",
    parser: wholeNumber({ from: 0, to: 31_536_000 }),
    help: "seconds for which expired tokens can be validated with allow_expired",
    standard: "172800",
  },
  receiptLifetimeSeconds: {
    name: "IDENTITY_RECEIPT_LIFETIME",
    parser: wholeNumber({ from: 10, to: 3600 }),
    help: "seconds to complete a multi-factor login",
    standard: "300",
  },
  keyRotationDays: {
    name: "IDENTITY_KEY_ROTATION_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days between rotations of the token signing keys; 0 for rotation by command only",
    standard: "30",
  },
} satisfies Options;
