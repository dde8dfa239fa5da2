/** The identity providers of an aggregate by what people know them by: collected while it is read, whatever its size. */
import { NAMESPACES } from "../../../../saml/saml-names.js";
import { XmlError } from "../xml-reading.js";
import type { ListedEntity } from "../../protocol-type.js";
import type { OpenTag } from "./canonical-writer.js";

export type { ListedEntity };

/** Sees the elements of an aggregate in their order. */
export interface EntityIndex {
  /** @param depth Elements around it. */
  open(tag: OpenTag, depth: number): void;
  text(text: string): void;
  close(depth: number): void;
  listed(): readonly ListedEntity[];
}

/** eduGAIN has some 6,000 identity providers. */
const MAX_LISTED = 30_000;
/** Of one entity. */
const MAX_TEXTS = 20;
const MAX_CHARACTERS = 200;
const UI = "urn:oasis:names:tc:SAML:metadata:ui";
const SHIBBOLETH = "urn:mace:shibboleth:metadata:1.0";

interface Entity {
  readonly id: string;
  readonly depth: number;
  /** The open child of the entity. */
  part: string;
  isProvider: boolean;
  readonly names: [language: string, name: string][];
  readonly organization: [language: string, name: string][];
  readonly scopes: string[];
}

interface OpenText {
  readonly depth: number;
  text: string;
  readonly keep: (text: string) => void;
}

const attributeOf = ({ attributes }: OpenTag, name: string): string =>
  Object.hasOwn(attributes, name) ? (attributes[name]?.value ?? "") : "";

export function createEntityIndex(): EntityIndex {
  const found = new Map<string, ListedEntity>();
  let entity: Entity | undefined;
  let open: OpenText | undefined;

  /** Where the text of an element goes; `undefined` for others. */
  function keeperOf(tag: OpenTag, of: Entity): OpenText["keep"] | undefined {
    const { uri, local } = tag;
    const language = attributeOf(tag, "xml:lang");
    if (uri === UI && local === "DisplayName" && of.part === "IDPSSODescriptor")
      return (text) => void of.names.push([language, text]);
    if (uri === NAMESPACES.metadata && local === "OrganizationDisplayName" && of.part === "Organization")
      return (text) => void of.organization.push([language, text]);
    const isScope =
      uri === SHIBBOLETH && local === "Scope" && /^(?:IDPSSODescriptor|Extensions)$/.test(of.part);
    // Patterns are not evaluated.
    return isScope && !/^(?:true|1)$/.test(attributeOf(tag, "regexp"))
      ? (text) => void of.scopes.push(text)
      : undefined;
  }

  function list({ id, isProvider, names, organization, scopes }: Entity): void {
    if (!isProvider || id === "" || found.has(id)) return;
    if (found.size === MAX_LISTED) throw new XmlError(`more than ${MAX_LISTED} identity providers`);
    const shown = names.length > 0 ? names : organization;
    found.set(id, {
      id,
      names: Object.fromEntries(shown.slice(0, MAX_TEXTS)),
      scopes: scopes.slice(0, MAX_TEXTS),
    });
  }

  return {
    open(tag, depth) {
      const isMetadata = tag.uri === NAMESPACES.metadata;
      if (entity === undefined) {
        if (isMetadata && tag.local === "EntityDescriptor")
          entity = {
            id: attributeOf(tag, "entityID"),
            depth,
            part: "",
            isProvider: false,
            names: [],
            organization: [],
            scopes: [],
          };
        return;
      }
      if (depth === entity.depth + 1) entity.part = isMetadata ? tag.local : "";
      entity.isProvider ||= entity.part === "IDPSSODescriptor";
      const keep = open === undefined ? keeperOf(tag, entity) : undefined;
      if (keep !== undefined) open = { depth, text: "", keep };
    },
    text(text) {
      if (open !== undefined && open.text.length < MAX_CHARACTERS) open.text += text;
    },
    close(depth) {
      if (open !== undefined && depth === open.depth) {
        open.keep(open.text.trim().replaceAll(/\s+/g, " ").slice(0, MAX_CHARACTERS));
        open = undefined;
      }
      if (entity === undefined || depth > entity.depth) return;
      list(entity);
      entity = undefined;
    },
    listed: () => [...found.values()],
  };
}
