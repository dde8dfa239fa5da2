/** The settings of SCIM. */
import { wholeNumber, type Options } from "../platform/option-parsers.js";

export const SCIM_OPTIONS = {
  secretDays: {
    name: "IDENTITY_SCIM_SECRET_DAYS",
    parser: wholeNumber({ from: 1, to: 3650 }),
    help: "days until a SCIM secret expires that is created without expires_at",
    standard: "365",
  },
} satisfies Options;
