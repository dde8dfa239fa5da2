/** A part of a document: a section, or an identity provider with its mappings. */
import { IdentityProviderNotFoundError } from "../identity-providers/identity-provider-errors.js";
import { DOCUMENT_VERSION, type FederationDocument, type Section } from "./document.js";

export interface DocumentPart {
  readonly section?: Section | undefined;
  readonly identityProvider?: string | undefined;
}

/** @throws {IdentityProviderNotFoundError} */
export function selectPart(
  document: FederationDocument,
  { section, identityProvider: id }: DocumentPart,
): FederationDocument {
  if (id !== undefined) {
    const provider = document.identity_providers?.find((each) => each.id === id);
    if (provider === undefined) throw new IdentityProviderNotFoundError(id);
    const used = new Set(provider.protocols?.map(({ mapping }) => mapping));
    return {
      version: DOCUMENT_VERSION,
      mappings: document.mappings?.filter((mapping) => used.has(mapping.id)) ?? [],
      identity_providers: [provider],
    };
  }
  return section === undefined ? document : { version: DOCUMENT_VERSION, [section]: document[section] };
}
