/** Errors of endpoint groups, and of the endpoints and groups of projects. */
import { ConflictError, errorClass, InvalidError, NotFoundError } from "../platform/errors.js";

export class EndpointGroupNotFoundError extends errorClass(
  NotFoundError,
  "endpoint-filter/group-not-found",
  (id: string) => `Could not find Endpoint Group: ${id}.`,
) {}

/** A filter names no attribute of endpoints, or an unknown one. */
export class EndpointGroupFilterError extends errorClass(
  InvalidError,
  "endpoint-filter/group-filter",
  "Expecting to find service_id or region_id or interface in endpoint_group. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
) {}

export class EndpointNotInProjectError extends errorClass(
  NotFoundError,
  "endpoint-filter/endpoint-not-in-project",
  (endpointId: string, projectId: string) => `Endpoint ${endpointId} not found in project ${projectId}`,
) {}

export class GroupNotInProjectError extends errorClass(
  NotFoundError,
  "endpoint-filter/group-not-in-project",
  "Endpoint Group Project Association not found",
) {}

/** The project has the endpoint or group already. */
export class AlreadyInProjectError extends errorClass(
  ConflictError,
  "endpoint-filter/already-in-project",
  (kind: "project_endpoint" | "project_endpoint_group") =>
    `Conflict occurred attempting to store ${kind} - Duplicate entry.`,
) {}
