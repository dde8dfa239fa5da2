/** The settings of directories (LDAP). */
import { onOrOff, wholeNumber, type Options } from "../platform/option-parsers.js";

export const DIRECTORY_OPTIONS = {
  hasDomainDrivers: {
    name: "IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED",
    parser: onOrOff,
    help: "use the directory (LDAP) that a domain's configuration names as identity.driver: on or off",
    standard: "off",
  },
  recheckSeconds: {
    name: "IDENTITY_LDAP_RECHECK",
    parser: wholeNumber({ from: 0, to: 3600 }),
    help: "seconds after which a token of a user in a directory is checked there again",
    standard: "60",
  },
} satisfies Options;
