/** Distinguished names (RFC 4514): parsing, and comparison without regard to case and insignificant blanks (RFC 4518). */

/** One attribute and its value in an RDN, without escapes. */
export interface NamePart {
  /** In lower case. */
  readonly type: string;
  readonly value: string;
}

/** RDNs from the entry up to the root; each has one part, rarely more. */
export type DistinguishedName = readonly (readonly NamePart[])[];

/** Attributes of names that a DN may write as object identifiers. */
const NAMES_BY_OID: Readonly<Record<string, string>> = {
  "2.5.4.3": "cn",
  "2.5.4.4": "sn",
  "2.5.4.6": "c",
  "2.5.4.7": "l",
  "2.5.4.8": "st",
  "2.5.4.10": "o",
  "2.5.4.11": "ou",
  "0.9.2342.19200300.100.1.1": "uid",
  "0.9.2342.19200300.100.1.25": "dc",
};

const SYNONYMS: Readonly<Record<string, string>> = {
  commonname: "cn",
  surname: "sn",
  userid: "uid",
  domaincomponent: "dc",
  organizationalunitname: "ou",
  organizationname: "o",
};

/** `undefined` if the text is not a DN. The empty DN has no RDNs. */
export function parseDn(text: string): DistinguishedName | undefined {
  if (text.trim() === "") return [];
  const rdns: NamePart[][] = [];
  let parts: NamePart[] = [];
  for (let at = 0; ;) {
    const type = /\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)\s*=/y;
    type.lastIndex = at;
    const found = type.exec(text);
    if (found === null) return undefined;
    const value = readValue(text, type.lastIndex);
    if (value === undefined) return undefined;
    const given = (found[1] ?? "").toLowerCase();
    parts.push({ type: NAMES_BY_OID[given] ?? SYNONYMS[given] ?? given, value: value.text });
    at = value.end + 1;
    if (text[value.end] === "+") continue;
    rdns.push(parts);
    parts = [];
    if (value.end >= text.length) return rdns;
  }
}

/** A value up to the next separator. */
function readValue(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  const bytes: Buffer[] = [];
  let at = from;
  while (text[at] === " ") at++;
  if (text[at] === "#") {
    const hex = /#((?:[0-9A-Fa-f]{2})+)\s*(?=[,;+]|$)/y;
    hex.lastIndex = at;
    const found = hex.exec(text);
    return found === null ? undefined : { text: found[0].trim().toLowerCase(), end: hex.lastIndex };
  }
  // Most values have no escapes.
  const end = /[,;+\\]|$/g;
  end.lastIndex = at;
  const plain = end.exec(text)?.index ?? text.length;
  if (text[plain] !== "\\") return { text: text.slice(at, plain).replace(/ +$/, ""), end: plain };
  // Unescaped blanks at the end don't belong to the value.
  let significant = 0;
  while (at < text.length && !",;+".includes(text[at] ?? "")) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === "\\") {
      const pair = /[0-9A-Fa-f]{2}/y;
      pair.lastIndex = at + 1;
      const hex = pair.exec(text)?.[0];
      const next = text[at + 1];
      if (next === undefined) return undefined;
      bytes.push(hex === undefined ? Buffer.from(next) : Buffer.from(hex, "hex"));
      at += hex === undefined ? 2 : 3;
      significant = bytes.length;
    } else {
      bytes.push(Buffer.from(character));
      at += character.length;
      if (character !== " ") significant = bytes.length;
    }
  }
  return { text: Buffer.concat(bytes.slice(0, significant)).toString("utf8"), end: at };
}

/** A text that is the same for equal DNs; `undefined` if it is not a DN. */
export function dnKey(text: string): string | undefined {
  const name = parseDn(text);
  return name && nameKey(name);
}

export function nameKey(name: DistinguishedName): string {
  return JSON.stringify(name.map(rdnKey));
}

function rdnKey(parts: readonly NamePart[]): string[] {
  return parts.map(({ type, value }) => `${type}=${valueKey(value)}`).toSorted();
}

/** A value as directory strings are compared: any case, compatible characters alike, blanks folded. */
export function valueKey(value: string): string {
  return value.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ");
}

/** Where entries are: at any depth below a root, or directly below it. */
export interface Subtree {
  readonly base: string;
  readonly scope: "one" | "sub";
}

export function isWithin(dn: string, { base, scope }: Subtree): boolean {
  const name = parseDn(dn);
  return name !== undefined && isNameWithin(name, parseDn(base), scope);
}

export function isNameWithin(
  name: DistinguishedName,
  root: DistinguishedName | undefined,
  scope: Subtree["scope"],
): boolean {
  if (root === undefined) return false;
  const depth = name.length - root.length;
  if (scope === "one" ? depth !== 1 : depth < 0) return false;
  return nameKey(name.slice(depth)) === nameKey(root);
}
