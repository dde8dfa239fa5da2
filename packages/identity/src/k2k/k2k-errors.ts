/** Rejected requests for assertions for other clouds. */
import { errorClass, ForbiddenError } from "../platform/errors.js";

/** An assertion describes a user's roles in a project: the token has to be scoped to one. */
export class ProjectTokenNeededError extends errorClass(
  ForbiddenError,
  "saml/project-token-needed",
  "You are not authorized to perform the requested action: Use a project scoped token when attempting to create a SAML assertion.",
) {}

/** The service provider is disabled. */
export class ServiceProviderDisabledError extends errorClass(
  ForbiddenError,
  "saml/service-provider-disabled",
) {
  constructor(id: string) {
    super("You are not authorized to perform the requested action.", {
      cause: new Error(`service provider ${id} is disabled`),
    });
  }
}

/** A URL stored before URLs were validated, which an HTTP header can't carry. */
export class ServiceProviderAddressError extends errorClass(
  ForbiddenError,
  "saml/service-provider-address",
  (id: string, field: "auth_url" | "sp_url") =>
    `The ${field} of service provider ${id} has control characters, or characters beyond ASCII: an administrator has to change it.`,
) {}
