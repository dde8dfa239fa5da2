/** The options of a domain's configuration: those of Keystone, and their errors. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  UnauthorizedError,
} from "../platform/errors.js";
import { filterFault } from "./ldap-filter.js";
import { HIDDEN_LDAP_OPTIONS, LDAP_OPTIONS, optionFault } from "./ldap-options.js";

/** Values by option, by group; of any JSON type. */
export type DomainConfig = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The options that are shown, with Keystone's defaults. */
export const DEFAULTS: DomainConfig = {
  identity: { driver: "sql", list_limit: null },
  ldap: Object.fromEntries(Object.entries(LDAP_OPTIONS).map(([name, { standard }]) => [name, standard])),
};

/** Sealed, and never shown. */
export function isSensitive(group: string, option: string): boolean {
  return group === "ldap" && option === "password";
}

/** Drivers of the users and groups of a domain. */
const DRIVERS = ["sql", "ldap"];

/**
 * Checks the values of options, where they have an effect.
 *
 * @throws {InvalidOptionError}
 */
export function checkValues({ identity = {}, ldap = {} }: DomainConfig): void {
  const { driver, list_limit: listLimit } = identity;
  if (driver !== undefined && !DRIVERS.includes(driver as string))
    throw new InvalidOptionError(
      { group: "identity", option: "driver" },
      driver,
      `expected one of ${DRIVERS.join(", ")}`,
    );
  const isLimit = Number.isInteger(Number(listLimit)) && Number(listLimit) >= 1;
  if (listLimit !== undefined && listLimit !== null && !isLimit)
    throw new InvalidOptionError(
      { group: "identity", option: "list_limit" },
      listLimit,
      "expected a whole number from 1",
    );
  for (const [option, value] of Object.entries(ldap)) {
    const fault = optionFault(option, value, filterFault);
    const shown = isSensitive("ldap", option) ? undefined : value;
    if (fault !== undefined) throw new InvalidOptionError({ group: "ldap", option }, shown, fault);
  }
}

export interface PathOptions {
  /** Whether options are allowed that Keystone reads from its files alone; no, if left out. */
  readonly withHidden?: boolean;
}

/** @throws {UnsupportedConfigError} The group or option is unknown. */
export function checkPath({ group, option }: ConfigPath, { withHidden = false }: PathOptions = {}): void {
  if (!Object.hasOwn(DEFAULTS, group))
    throw new UnsupportedConfigError(`Group ${group} is not supported for domain specific configurations.`);
  if (option === undefined || isSensitive(group, option)) return;
  if (withHidden && group === "ldap" && Object.hasOwn(HIDDEN_LDAP_OPTIONS, option)) return;
  if (!Object.hasOwn(DEFAULTS[group] ?? {}, option))
    throw new UnsupportedConfigError(
      `Option ${option} in group ${group} is not supported for domain specific configurations.`,
    );
}

/**
 * The configuration in the body of a request.
 *
 * @throws {UnsupportedConfigError} It is empty, or has an unknown group or option.
 */
export function parseConfig(given: unknown, options: PathOptions = {}): DomainConfig {
  if (!isRecord(given) || Object.keys(given).length === 0)
    throw new UnsupportedConfigError("No options specified.");
  for (const [group, values] of Object.entries(given)) {
    checkPath({ group });
    if (!isRecord(values) || Object.keys(values).length === 0)
      throw new UnsupportedConfigError(
        `The value of group ${group} specified in the config should be a dictionary of options.`,
      );
    for (const option of Object.keys(values)) checkPath({ group, option }, options);
  }
  return given as DomainConfig;
}

/**
 * The configuration in a request that changes one group or one option: that, and nothing else.
 *
 * @throws {UnsupportedConfigError}
 */
export function parsePart(
  given: unknown,
  { group, option }: ConfigPath,
  options: PathOptions = {},
): DomainConfig {
  checkPath({ group, option }, options);
  const config = option === undefined ? given : { [group]: given };
  const [kind, name] = option === undefined ? ["group", group] : ["option", option];
  const names = isRecord(given) ? Object.keys(given) : [];
  if (names.length !== 1 || names[0] !== name)
    throw new UnsupportedConfigError(
      `Trying to update ${kind} ${name}, so that, and only that, ${kind} must be specified in the config.`,
    );
  return parseConfig(config, options);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A group of options, or one of them. */
export interface ConfigPath {
  readonly group: string;
  readonly option?: string | undefined;
}

/** The group or option is unknown, or may not be read or changed. */
export class UnsupportedConfigError extends errorClass(
  ForbiddenError,
  "domain-config/unsupported",
  (reason: string) => `Invalid domain specific configuration: ${reason}`,
) {}

/** The value of an option is not of its type. */
class InvalidOptionError extends errorClass(
  InvalidError,
  "domain-config/invalid-option",
  /** @param value Left out for a secret. */
  ({ group, option }: ConfigPath, value: unknown, expected: string) => {
    const given = value === undefined ? "" : `${JSON.stringify(value)}; `;
    return `Invalid value of option ${option} in group ${group}: ${given}${expected}.`;
  },
) {}

/** Nothing is configured, or the group or option is not. */
export class DomainConfigNotFoundError extends errorClass(
  NotFoundError,
  "domain-config/not-found",
  (domainId: string, path?: ConfigPath) =>
    `Could not find ${describe(path)} in domain configuration for domain ${domainId}.`,
) {}

/** A directory would have no effect but that logins of the domain are rejected. */
export class DirectoriesOffError extends errorClass(
  ConflictError,
  "domain-config/directories-off",
  "Directories of domains have no effect in this service, and logins of a domain that has one are rejected: set " +
    "IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED to on first.",
) {}

/** The users of the domain are in a directory, which this service does not read. */
export class ForeignDriverError extends errorClass(
  UnauthorizedError,
  "domain-config/foreign-driver",
  (domainId: string, driver: string) =>
    `login refused: the configuration of domain ${domainId} sets identity.driver to ${driver}, and this service has sql only`,
) {
  override readonly isForOperator = true;
}

function describe(path: ConfigPath | undefined): string {
  if (path === undefined) return "any options";
  return path.option === undefined ? `group ${path.group}` : `option ${path.option} in group ${path.group}`;
}
