/** The settings of limits. */
import { oneOf, type Options } from "../platform/option-parsers.js";
import { ENFORCEMENT_MODELS } from "./tree/enforcement.js";

export const LIMIT_OPTIONS = {
  enforcementModel: {
    name: "IDENTITY_ENFORCEMENT_MODEL",
    parser: oneOf(...ENFORCEMENT_MODELS),
    help: `how limits of projects are validated: ${ENFORCEMENT_MODELS.join(" or ")}`,
    standard: "flat",
  },
} satisfies Options;
