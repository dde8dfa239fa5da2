/** The settings of the console: name, parser, default and help of each. */
import { explainedBy, onOrOff, textLike, wholeNumber, type Options } from "../platform/option-parsers.js";
import { readLogo } from "./cloud-looks.js";

export const CONSOLE_OPTIONS = {
  isServed: {
    name: "IDENTITY_CONSOLE",
    parser: onOrOff,
    help: "serve the console, an application for browsers, below /console: on or off",
    standard: "on",
  },
  cloudName: {
    name: "IDENTITY_CONSOLE_NAME",
    parser: textLike(/^(?=.*\S)[^\p{Cc}]{1,60}$/u, "a name of at most 60 characters in one line"),
    help: "the cloud's name, on the sign-in page and above the pages of the console",
    standard: "Identity",
  },
  logo: {
    name: "IDENTITY_CONSOLE_LOGO",
    parser: explainedBy(readLogo, "the path of a PNG or SVG file of at most 64 KB"),
    help: "path of a PNG or SVG file of at most 64 KB, shown on the sign-in page of the console",
  },
  contact: {
    name: "IDENTITY_CONSOLE_CONTACT",
    parser: textLike(/^(?=.*\S)[^\p{Cc}]{1,300}$/u, "a text of at most 300 characters in one line"),
    help: "whom users without a role may ask for one, such as cloud-support@example.org; the console shows it",
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
