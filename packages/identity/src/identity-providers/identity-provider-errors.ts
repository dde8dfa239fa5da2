/** Errors of identity providers and their protocols. */
import { ConflictError, errorClass, InvalidError, notFoundClass, NotFoundError } from "../platform/errors.js";

export class IdentityProviderNotFoundError extends notFoundClass(
  "Identity Provider",
  "identity-provider/not-found",
) {}

export class IdentityProviderExistsError extends errorClass(
  ConflictError,
  "identity-provider/exists",
  (id: string) => `Conflict occurred attempting to store identity_provider - Duplicate entry: ${id}.`,
) {}

/** Another provider has this remote id. */
export class RemoteIdTakenError extends errorClass(
  ConflictError,
  "identity-provider/remote-id-taken",
  (remoteId: string) =>
    `Conflict occurred attempting to store identity_provider - Duplicate remote ID: ${remoteId}.`,
) {}

/** A remote id is malformed. */
export class RemoteIdError extends errorClass(
  InvalidError,
  "identity-provider/invalid-remote-id",
  (remoteId: string, fault: string) =>
    `Invalid input for field/attribute remote_ids. Value: ${remoteId}. It ${fault}`,
) {}

/** A provider names an authorized domain that does not exist. */
export class AuthorizedDomainError extends errorClass(
  InvalidError,
  "identity-provider/unknown-domain",
  (domainId: string) =>
    `Invalid input for field/attribute authorized_domains. Value: ${domainId}. The domain does not exist`,
) {}

/** What identifies pushed users can't change while there are some: their logins would be those of others. */
export class ScimUniqueIdError extends errorClass(
  ConflictError,
  "identity-provider/scim-in-use",
  (idpId: string) =>
    `scim_unique_id of identity provider ${idpId} can't be changed: it has pushed users. Have them deleted first, or delete its SCIM secrets to stop it.`,
) {}

export class ProtocolNotFoundError extends errorClass(
  NotFoundError,
  "protocol/not-found",
  ({ idpId, id }: { readonly idpId: string; readonly id: string }) =>
    `Could not find federated protocol ${id} for Identity Provider: ${idpId}.`,
) {}

export class ProtocolExistsError extends errorClass(
  ConflictError,
  "protocol/exists",
  (id: string) =>
    `Conflict occurred attempting to store federation_protocol - Duplicate entry found with ID ${id}.`,
) {}

/** A protocol names a mapping that does not exist. */
export class UnknownMappingError extends errorClass(
  InvalidError,
  "protocol/unknown-mapping",
  (mappingId: string) => `Invalid mapping id: ${mappingId}`,
) {}

/** Settings fit their schema and contradict each other. */
export class ProtocolSettingsError extends errorClass(InvalidError, "protocol/invalid-settings") {}

/** Another request changed the protocol between the checks of a change and its storing, repeatedly. */
export class ProtocolChangedError extends errorClass(
  ConflictError,
  "protocol/changed",
  (id: string) => `Federated protocol ${id} was changed concurrently. Please try again.`,
) {}

/** A check failed, and the request is strict. */
export class ProtocolChecksError extends errorClass(
  InvalidError,
  "protocol/failed-checks",
  (failures: readonly { readonly check: string; readonly message: string }[]) =>
    `Nothing was stored, because checks failed: ${failures.map(({ check, message }) => `${check}: ${message}`).join("; ")}`,
) {}
