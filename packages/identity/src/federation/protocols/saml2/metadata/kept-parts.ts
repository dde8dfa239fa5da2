/** Metadata of several entities as it is kept: the parts of an aggregate, or the answers of a metadata query service. */
import { NAMESPACES } from "../../../../saml/saml-names.js";

export const keptParts = (parts: readonly string[]): string => JSON.stringify(parts);

/** @returns `undefined` for a text of XML. */
export function keptPartsIn(kept: string): string[] | undefined {
  return kept.startsWith("[") ? (JSON.parse(kept) as string[]) : undefined;
}

/** What is kept as one document, without its signatures: to look into, not to trust. `undefined` where it has no entity. */
export function documentOf(kept: string): string | undefined {
  const parts = keptPartsIn(kept);
  if (parts === undefined) return kept;
  if (parts.length === 0) return undefined;
  const plain = parts.map((xml) => xml.replace(/^\s*<\?xml[^>]*\?>/, ""));
  return `<EntitiesDescriptor xmlns="${NAMESPACES.metadata}">${plain.join("")}</EntitiesDescriptor>`;
}
