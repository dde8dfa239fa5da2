/** The settings of the catalog. */
import { onOrOff, type Options } from "../platform/option-parsers.js";

export const CATALOG_OPTIONS = {
  returnsAllEndpoints: {
    name: "IDENTITY_RETURN_ALL_ENDPOINTS",
    parser: onOrOff,
    help: "catalog of tokens to which no endpoint filter applies: on for all endpoints, off for none",
    standard: "on",
  },
} satisfies Options;
