/** Errors of the configuration of domains. */
import { errorClass, ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

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

/** Nothing is configured, or the group or option is not. */
export class DomainConfigNotFoundError extends errorClass(
  NotFoundError,
  "domain-config/not-found",
  (domainId: string, path?: ConfigPath) =>
    `Could not find ${describe(path)} in domain configuration for domain ${domainId}.`,
) {}

/** The users of the domain are in a directory, which this service does not read. */
export class ForeignDriverError extends errorClass(
  UnauthorizedError,
  "domain-config/foreign-driver",
  (domainId: string, driver: string) =>
    `login refused: the configuration of domain ${domainId} sets identity.driver to ${driver}, and this service has sql only`,
) {}

function describe(path: ConfigPath | undefined): string {
  if (path === undefined) return "any options";
  return path.option === undefined ? `group ${path.group}` : `option ${path.option} in group ${path.group}`;
}
