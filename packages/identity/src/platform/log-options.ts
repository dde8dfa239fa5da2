/** The settings of the log. */
import { LOG_LEVELS } from "./log.js";
import { oneOf, onOrOff, type Options } from "./option-parsers.js";

export const LOG_OPTIONS = {
  level: {
    name: "IDENTITY_LOG_LEVEL",
    parser: oneOf(...LOG_LEVELS),
    help: `minimum log level: ${LOG_LEVELS.join(", ")}`,
    standard: "info",
  },
  requiresAudit: {
    name: "IDENTITY_AUDIT_REQUIRED",
    parser: onOrOff,
    help: "refuse changes while the log, and so their audit lines, can't be written: on or off",
    standard: "off",
  },
} satisfies Options;
