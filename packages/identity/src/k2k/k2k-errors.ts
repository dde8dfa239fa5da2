/** Why another cloud is told nothing of a user. */
import { ForbiddenError } from "../platform/errors.js";

/** Only who somebody is in a project means something elsewhere. */
export class ProjectTokenNeededError extends ForbiddenError {
  override readonly name = "ProjectTokenNeededError";
  override readonly code = "saml/project-token-needed";

  constructor() {
    super(
      "You are not authorized to perform the requested action: Use a project scoped token when attempting to create a SAML assertion.",
    );
  }
}

/** The service provider is not in use. */
export class ServiceProviderDisabledError extends ForbiddenError {
  override readonly name = "ServiceProviderDisabledError";
  override readonly code = "saml/service-provider-disabled";

  constructor(id: string) {
    super("You are not authorized to perform the requested action.", {
      cause: new Error(`service provider ${id} is disabled`),
    });
  }
}

/** An address that was stored before addresses were checked. No header can carry it to the client. */
export class ServiceProviderAddressError extends ForbiddenError {
  override readonly name = "ServiceProviderAddressError";
  override readonly code = "saml/service-provider-address";

  constructor(id: string, field: "auth_url" | "sp_url") {
    super(
      `The ${field} of service provider ${id} has control characters, or characters beyond ASCII: an administrator has to change it.`,
    );
  }
}
