/** A part of a document: a section, or one entry with what it refers to by id. */
import { IdentityProviderNotFoundError } from "../identity-providers/identity-provider-errors.js";
import { MappingNotFoundError } from "../mappings/mapping-errors.js";
import { ServiceProviderNotFoundError } from "../service-providers/service-provider.js";
import { DOCUMENT_VERSION, SECTIONS, type FederationDocument, type Section } from "./document.js";

export interface DocumentPart {
  readonly section?: Section | undefined;
  /** With the mappings of its protocols. */
  readonly identityProvider?: string | undefined;
  readonly mapping?: string | undefined;
  readonly serviceProvider?: string | undefined;
}

/** The sections that a part is selected from. */
export function sectionsOf({
  section,
  identityProvider,
  mapping,
  serviceProvider,
}: DocumentPart): readonly Section[] {
  if (identityProvider !== undefined) return ["mappings", "identity_providers"];
  if (mapping !== undefined) return ["mappings"];
  if (serviceProvider !== undefined) return ["service_providers"];
  return section === undefined ? SECTIONS : [section];
}

/** @throws {IdentityProviderNotFoundError} {@link MappingNotFoundError} {@link ServiceProviderNotFoundError} */
export function selectPart(
  document: FederationDocument,
  { identityProvider: id, mapping, serviceProvider }: DocumentPart,
): FederationDocument {
  const version = DOCUMENT_VERSION;
  if (mapping !== undefined) {
    const found = document.mappings?.find((each) => each.id === mapping);
    if (found === undefined) throw new MappingNotFoundError(mapping);
    return { version, mappings: [found] };
  }
  if (serviceProvider !== undefined) {
    const found = document.service_providers?.find((each) => each.id === serviceProvider);
    if (found === undefined) throw new ServiceProviderNotFoundError(serviceProvider);
    return { version, service_providers: [found] };
  }
  if (id === undefined) return document;
  const provider = document.identity_providers?.find((each) => each.id === id);
  if (provider === undefined) throw new IdentityProviderNotFoundError(id);
  const used = new Set(provider.protocols?.map((protocol) => protocol.mapping));
  return {
    version,
    mappings: document.mappings?.filter((each) => used.has(each.id)) ?? [],
    identity_providers: [provider],
  };
}
