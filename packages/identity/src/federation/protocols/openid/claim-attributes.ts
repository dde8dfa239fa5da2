/**
 * Claims as attributes for mapping rules, with the names that mod_auth_openidc gives them in Keystone.
 *
 * A claim `sub` is the attribute `OIDC-sub`, and `HTTP_OIDC_SUB`, its name where claims arrive in headers. Several values are
 * joined by semicolons; `address.country` is a member of an object. An attribute that two claims would have is left out.
 */
import type { Assertion } from "../../../mappings/rules/evaluate-mapping.js";
import { ExactNumber } from "../../../platform/text/exact-json.js";

export type Claims = Readonly<Record<string, unknown>>;

/** The prefix in Keystone's guides to mod_auth_openidc. */
export const DEFAULT_PREFIX = "OIDC-";
/** Objects within objects. */
const MAX_DEPTH = 8;

export interface ClaimAttributes {
  readonly attributes: Assertion;
  /** The same texts by the names of claims, such as `sub` and `address.country`. */
  readonly values: ReadonlyMap<string, string>;
  /** Claims of which a value was left out: it contains a semicolon, and rules would read several values. */
  readonly leftOut: readonly string[];
  /** Claims that are there by two spellings, as `{"a.b": 1, "a": {"b": 2}}` has `a.b`: none of the values counts. */
  readonly ambiguous: readonly string[];
  /** Attributes that two claims, or a claim and the name of a header, would have, and therefore none has. */
  readonly ambiguousAttributes: readonly string[];
  /** The attributes as release 0.2.0 read them, which rounded large numbers; absent where no claim has such a number. */
  readonly rounded?: Assertion;
}

/**
 * The names of claims that the provider refers to another source, as Entra ID does with the groups of a user in many groups.
 *
 * @see OpenID Connect Core 1.0, 5.6.2
 */
export function namesOfDistributedClaims(claims: Claims): readonly string[] {
  const names = claims["_claim_names"];
  return isObject(names) ? Object.keys(names) : [];
}

/** @param prefix The prefix of the names; `OIDC-` if left out. */
export function claimAttributes(claims: Claims, prefix: string = DEFAULT_PREFIX): ClaimAttributes {
  const { hasExactNumbers, ...described } = describe(claims, prefix, ({ text }) => text);
  if (!hasExactNumbers) return described;
  const { attributes: rounded } = describe(claims, prefix, (number) => String(number.rounded));
  return { ...described, rounded };
}

function describe(claims: Claims, prefix: string, print: (number: ExactNumber) => string) {
  const flattening: Flattening = {
    values: new Map(),
    names: new Set(),
    ambiguous: new Set(),
    leftOut: [],
    hasExactNumbers: false,
  };
  flatten(claims, { path: "", depth: 0, print, flattening });
  const { values, names, ambiguous, leftOut, hasExactNumbers } = flattening;
  for (const name of ambiguous) values.delete(name);
  const attributes = new Map<string, string>();
  const taken = new Set<string>();
  const ambiguousAttributes = new Set<string>();
  for (const name of names) {
    const value = values.get(name);
    for (const attribute of namesOfClaim(name, prefix)) {
      if (taken.has(attribute)) ambiguousAttributes.add(attribute);
      taken.add(attribute);
      if (value !== undefined) attributes.set(attribute, value);
    }
  }
  for (const attribute of ambiguousAttributes) attributes.delete(attribute);
  // The user's name where a mapping gives none. A user whose "sub" was left out must not get the client's.
  const user = values.get("sub" in claims ? "sub" : "client_id");
  if (user === undefined) attributes.delete("REMOTE_USER");
  else attributes.set("REMOTE_USER", user);
  return {
    attributes: Object.fromEntries(attributes),
    values,
    leftOut,
    ambiguous: [...ambiguous],
    ambiguousAttributes: [...ambiguousAttributes],
    hasExactNumbers,
  };
}

interface Flattening {
  readonly values: Map<string, string>;
  /** Of all claims, also those whose value is left out. */
  readonly names: Set<string>;
  /** Names that several claims have. */
  readonly ambiguous: Set<string>;
  readonly leftOut: string[];
  hasExactNumbers: boolean;
}

interface FlattenContext {
  /** Ends with a dot, within an object. */
  readonly path: string;
  readonly depth: number;
  readonly print: (number: ExactNumber) => string;
  readonly flattening: Flattening;
}

function flatten(claims: Claims, { path, depth, print, flattening }: FlattenContext): void {
  const { values, names, ambiguous, leftOut } = flattening;
  const plainText = (claim: unknown): string | undefined => {
    if (typeof claim === "string") return claim;
    if (!(claim instanceof ExactNumber))
      return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
    flattening.hasExactNumbers = true;
    return print(claim);
  };
  for (const [key, claim] of Object.entries(claims)) {
    const name = path + key;
    if (isObject(claim)) {
      if (depth < MAX_DEPTH) flatten(claim, { path: `${name}.`, depth: depth + 1, print, flattening });
      continue;
    }
    if (claim === null || claim === undefined) continue;
    if (names.has(name)) ambiguous.add(name);
    names.add(name);
    const texts = Array.isArray(claim) ? claim.map(plainText) : plainText(claim);
    const text = Array.isArray(texts) ? listText(texts, name, leftOut) : oneText(texts, name, leftOut);
    if (text !== undefined) values.set(name, text);
  }
}

/** A value with a semicolon is left out: a group named `x;admins` would be two groups. */
function listText(
  items: readonly (string | undefined)[],
  name: string,
  leftOut: string[],
): string | undefined {
  const texts = items.filter((text) => text !== undefined);
  const plain = texts.filter((text) => !text.includes(";"));
  if (plain.length < texts.length) leftOut.push(name);
  // An empty list is an attribute too: an empty string.
  return texts.length === 0 && items.length > 0 ? undefined : plain.join(";");
}

/** A single value with a semicolon is left out, too. */
function oneText(text: string | undefined, name: string, leftOut: string[]): string | undefined {
  if (text?.includes(";") !== true) return text;
  leftOut.push(name);
  return undefined;
}

function isObject(claim: unknown): claim is Claims {
  return (
    typeof claim === "object" && claim !== null && !Array.isArray(claim) && !(claim instanceof ExactNumber)
  );
}

/** The attributes that have the values of these claims. */
export function attributesOfClaims(
  claims: readonly string[],
  prefix: string = DEFAULT_PREFIX,
): readonly string[] {
  return claims.flatMap((claim) => {
    const names = namesOfClaim(claim, prefix);
    return claim === "sub" ? [...names, "REMOTE_USER"] : names;
  });
}

/** Its own name, and that of a header. */
function namesOfClaim(claim: string, prefix: string): readonly string[] {
  const name = prefix + claim;
  const spelling = `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
  return spelling === name ? [name] : [name, spelling];
}
