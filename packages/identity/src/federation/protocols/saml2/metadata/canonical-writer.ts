/**
 * Writes elements as exclusive canonical XML while they are read, start tag by start tag: the digest of a document needs no tree of it.
 *
 * @see https://www.w3.org/TR/xml-exc-c14n/
 */
import type { SaxesAttributeNS, SaxesTagNS } from "saxes";

/** The tag of a namespace-aware parser. */
export type OpenTag = SaxesTagNS;

const XML = "http://www.w3.org/XML/1998/namespace";

interface Level {
  /** All prefixes that are declared here or around. */
  readonly inScope: ReadonlyMap<string, string>;
  /** Those that the output declares here or around. */
  readonly rendered: ReadonlyMap<string, string>;
}

const OUTSIDE: Level = { inScope: new Map(), rendered: new Map() };

export interface CanonicalWriter {
  open(tag: OpenTag): string;
  close(name: string): string;
  /** Start tags of the elements that are open, each with every prefix in scope, for a part of the document to be read alone. */
  readonly inScope: ReadonlyMap<string, string>;
}

/** @param inclusive Prefixes that are declared where they are in scope, used or not (`InclusiveNamespaces`); `` is the default namespace. */
export function createCanonicalWriter(inclusive: ReadonlySet<string> = new Set()): CanonicalWriter {
  const levels: Level[] = [OUTSIDE];
  const innermost = () => levels.at(-1) ?? OUTSIDE;

  return {
    open(tag) {
      const { inScope, rendered } = innermost();
      const attributes = Object.values(tag.attributes);
      const declared = attributes.filter(isDeclaration);
      const scope =
        declared.length === 0
          ? inScope
          : new Map([...inScope, ...declared.map((each) => [prefixIn(each), each.value] as const)]);
      const others = attributes.filter((each) => !isDeclaration(each));
      const used = new Set([tag.prefix, ...others.flatMap(({ prefix }) => (prefix === "" ? [] : [prefix]))]);
      for (const prefix of inclusive) if (scope.has(prefix)) used.add(prefix);
      used.delete("xml");
      const added = [...used]
        .map((prefix) => [prefix, scope.get(prefix) ?? ""] as const)
        .filter(([prefix, uri]) => (rendered.get(prefix) ?? "") !== uri)
        .toSorted(([one], [other]) => compare(one, other));
      levels.push({
        inScope: scope,
        rendered: added.length === 0 ? rendered : new Map([...rendered, ...added]),
      });
      const namespaces = added.map(([prefix, uri]) =>
        attribute(prefix === "" ? "xmlns" : `xmlns:${prefix}`, uri),
      );
      const sorted = others.toSorted(
        (one, other) => compare(uriOf(one), uriOf(other)) || compare(one.local, other.local),
      );
      const plain = sorted.map(({ name, value }) => attribute(name, value));
      return `<${tag.name}${namespaces.join("")}${plain.join("")}>`;
    },
    close(name) {
      levels.pop();
      return `</${name}>`;
    },
    get inScope() {
      return innermost().inScope;
    },
  };
}

const isDeclaration = ({ name }: SaxesAttributeNS): boolean => name === "xmlns" || name.startsWith("xmlns:");
const prefixIn = ({ name }: SaxesAttributeNS): string => name.slice("xmlns:".length);
const uriOf = ({ prefix, uri }: SaxesAttributeNS): string =>
  prefix === "xml" ? XML : prefix === "" ? "" : uri;

/** By code points, as UTF-8 sorts. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  // Code units have another order beyond U+FFFF alone, which no name here has.
  return one < other ? -1 : 1;
}

export function attribute(name: string, value: string): string {
  return ` ${name}="${/[&<"\t\n\r]/.test(value) ? value.replaceAll(/[&<"\t\n\r]/g, (each) => IN_ATTRIBUTES[each] ?? each) : value}"`;
}

export function canonicalText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replaceAll(/[&<>\r]/g, (each) => IN_TEXT[each] ?? each) : text;
}

const IN_TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };
const IN_ATTRIBUTES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};
