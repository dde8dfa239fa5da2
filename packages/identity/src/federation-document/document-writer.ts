/** Writes a document as YAML with comments, or as JSON. The same document is the same text. */
import { Document, isMap, isScalar, isSeq, visit, type YAMLMap } from "yaml";

import type { DocumentFormat } from "../limits/transfer/limit-document.js";
import { isRecord } from "../mappings/rules/rule-schema.js";
import type { FederationDocument, MappingEntry } from "./document.js";

export interface WriteOptions {
  readonly format: DocumentFormat;
  readonly secretNames: ReadonlySet<string>;
}

const HEADER = ` Federation as written by hamkit-identity federation export.
 A member that an entry lacks has its default. What the document does not name stays, unless "prune" covers it.`;

const COMMENTS: Readonly<Record<string, string>> = {
  domains: " Domains, projects, services and regions are created and changed, and never deleted.",
  projects: " Those of grants and limits.",
  services: " Those of limits, and their regions.",
};

const SECRET = " set in the service; { file: PATH } is possible too";

/** Sections with references, which are short enough for one line. */
const WITH_REFERENCES = new Set(["roles", "grants", "registered_limits", "limits", "identity_providers"]);
const REFERENCES = new Set(["group", "role", "project", "service", "implies"]);

export function writeDocument(document: FederationDocument, { format, secretNames }: WriteOptions): string {
  if (format === "json") return `${JSON.stringify(document, null, 2)}\n`;
  const tree = new Document(document, { aliasDuplicateObjects: false });
  tree.commentBefore = HEADER;
  const root = tree.contents as unknown as YAMLMap;
  for (const pair of root.items) {
    const { key, value } = pair;
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const comment = COMMENTS[name];
    if (comment !== undefined) key.commentBefore = comment;
    key.spaceBefore = name !== "version";
    if (WITH_REFERENCES.has(name)) shorten(value, secretNames);
    if (name === "mappings" && isSeq(value))
      for (const [index, item] of value.items.entries()) {
        const ids = groupIdsIn(document.mappings?.[index]);
        if (ids.length > 0 && isMap(item))
          item.commentBefore = ` Its rules name groups by ids of this service: ${ids.join(", ")}`;
      }
  }
  return tree.toString({ lineWidth: 0 });
}

/** References in one line, and comments at those to secrets. */
function shorten(section: unknown, secretNames: ReadonlySet<string>): void {
  visit(section as YAMLMap, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? String(key.value) : "";
      if (!isMap(value) && !isSeq(value)) return undefined;
      const isSecret = secretNames.has(name) && isMap(value);
      if (!isSecret && !REFERENCES.has(name)) return undefined;
      value.flow = true;
      if (isSecret) value.comment = SECRET;
      return visit.SKIP;
    },
  });
}

/** Ids of groups in rules, which another service does not have. */
function groupIdsIn(mapping: MappingEntry | undefined): string[] {
  const ids = new Set<string>();
  const find = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(find);
    else if (isRecord(value)) {
      const { group } = value;
      if (isRecord(group) && typeof group["id"] === "string") ids.add(group["id"]);
      Object.values(value).forEach(find);
    }
  };
  find(mapping?.rules.map((rule) => (rule as { readonly local?: unknown }).local));
  return [...ids];
}
