/** Errors of policies and of their associations. */
import { errorClass, InvalidError, NotFoundError } from "../platform/errors.js";

export class PolicyNotFoundError extends errorClass(
  NotFoundError,
  "policy/not-found",
  (id: string) => `Could not find policy: ${id}.`,
) {}

export class PolicyIdChangeError extends errorClass(
  InvalidError,
  "policy/id-change",
  "Cannot change policy ID",
) {}

/** The policy is not associated with the endpoint, service or region. */
export class PolicyAssociationNotFoundError extends errorClass(
  NotFoundError,
  "policy/association-not-found",
  "Could not find policy association.",
) {}

/** Neither the endpoint nor its service has a policy. */
export class NoPolicyOfEndpointError extends errorClass(
  NotFoundError,
  "policy/none-of-endpoint",
  (endpointId: string) => `No policy is associated with endpoint ${endpointId}.`,
) {}
