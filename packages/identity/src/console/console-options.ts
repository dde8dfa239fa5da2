/** The settings of the console: name, parser, default and help of each. */
import { onOrOff, wholeNumber, type Options } from "../platform/option-parsers.js";

export const CONSOLE_OPTIONS = {
  isServed: {
    name: "IDENTITY_CONSOLE",
    parser: onOrOff,
    help: "serve the console, an application for browsers, below /console: on or off",
    standard: "on",
  },
  auditTrailDays: {
    name: "IDENTITY_AUDIT_TRAIL_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days for which audit events are kept in the database, for the console; 0 for the log alone",
    standard: "0",
  },
  auditTrailEvents: {
    name: "IDENTITY_AUDIT_TRAIL_EVENTS",
    parser: wholeNumber({ from: 1000, to: 10_000_000 }),
    help: "audit events in the database, at most: the oldest are deleted",
    standard: "100000",
  },
} satisfies Options;
