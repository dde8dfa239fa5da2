/** What can be wrong with identity providers and their protocols. */
import { ConflictError, InvalidError, NotFoundError } from "../platform/errors.js";

export class IdentityProviderNotFoundError extends NotFoundError {
  override readonly name = "IdentityProviderNotFoundError";
  override readonly code = "identity-provider/not-found";

  constructor(id: string) {
    super(`Could not find Identity Provider: ${id}.`);
  }
}

export class IdentityProviderExistsError extends ConflictError {
  override readonly name = "IdentityProviderExistsError";
  override readonly code = "identity-provider/exists";

  constructor(id: string) {
    super(`Conflict occurred attempting to store identity_provider - Duplicate entry: ${id}.`);
  }
}

/** Another provider is known under this name. */
export class RemoteIdTakenError extends ConflictError {
  override readonly name = "RemoteIdTakenError";
  override readonly code = "identity-provider/remote-id-taken";

  constructor(remoteId: string) {
    super(`Conflict occurred attempting to store identity_provider - Duplicate remote ID: ${remoteId}.`);
  }
}

/** A remote id can't be what a provider calls itself. */
export class RemoteIdError extends InvalidError {
  override readonly name = "RemoteIdError";
  override readonly code = "identity-provider/invalid-remote-id";

  constructor(remoteId: string, fault: string) {
    super(`Invalid input for field/attribute remote_ids. Value: ${remoteId}. It ${fault}`);
  }
}

/** A provider is to be held to a domain that does not exist. */
export class AuthorizedDomainError extends InvalidError {
  override readonly name = "AuthorizedDomainError";
  override readonly code = "identity-provider/unknown-domain";

  constructor(domainId: string) {
    super(
      `Invalid input for field/attribute authorized_domains. Value: ${domainId}. There is no such domain`,
    );
  }
}

export class ProtocolNotFoundError extends NotFoundError {
  override readonly name = "ProtocolNotFoundError";
  override readonly code = "protocol/not-found";

  constructor({ idpId, id }: { readonly idpId: string; readonly id: string }) {
    super(`Could not find federated protocol ${id} for Identity Provider: ${idpId}.`);
  }
}

export class ProtocolExistsError extends ConflictError {
  override readonly name = "ProtocolExistsError";
  override readonly code = "protocol/exists";

  constructor(id: string) {
    super(`Conflict occurred attempting to store federation_protocol - Duplicate entry found with ID ${id}.`);
  }
}

/** A protocol names a mapping that there is not. */
export class UnknownMappingError extends InvalidError {
  override readonly name = "UnknownMappingError";
  override readonly code = "protocol/unknown-mapping";

  constructor(mappingId: string) {
    super(`Invalid mapping id: ${mappingId}`);
  }
}

/** Settings that fit their schema can't be meant so. */
export class ProtocolSettingsError extends InvalidError {
  override readonly name = "ProtocolSettingsError";
  override readonly code = "protocol/invalid-settings";
}
