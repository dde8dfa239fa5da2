/**
 * Claims as attributes for mapping rules, with the names that mod_auth_openidc gives them in Keystone.
 *
 * A claim `sub` is the attribute `OIDC-sub`, and `HTTP_OIDC_SUB`, its name where claims arrive in headers. Several values are
 * joined by semicolons; `address.country` is a member of an object.
 */
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";

export type Claims = Readonly<Record<string, unknown>>;

/** The prefix in Keystone's guides to mod_auth_openidc. */
export const DEFAULT_PREFIX = "OIDC-";
/** Objects within objects. */
const MAX_DEPTH = 8;

export interface ClaimAttributes {
  readonly attributes: Assertion;
  /** Claims of which a value was left out: it contains a semicolon, and rules would read several values. */
  readonly leftOut: readonly string[];
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
  const values = new Map<string, string>();
  const leftOut: string[] = [];
  flatten(claims, { path: "", depth: 0, values, leftOut });
  const named = new Map(Array.from(values, ([name, value]) => [prefix + name, value]));
  const attributes = new Map([...headerSpellings(named), ...named]);
  // The user's name where a mapping gives none. A user whose "sub" was left out must not get the client's.
  const user = values.get("sub" in claims ? "sub" : "client_id");
  if (user !== undefined) attributes.set("REMOTE_USER", user);
  return { attributes: Object.fromEntries(attributes), leftOut };
}

interface Flattening {
  /** Ends with a dot, within an object. */
  readonly path: string;
  readonly depth: number;
  readonly values: Map<string, string>;
  readonly leftOut: string[];
}

/** Plain claims precede members of objects: a claim named `a.b` is not replaced by a member of `a`. */
function flatten(claims: Claims, { path, depth, values, leftOut }: Flattening): void {
  const objects: [string, Claims][] = [];
  for (const [key, claim] of Object.entries(claims)) {
    const name = path + key;
    if (isObject(claim)) {
      objects.push([name, claim]);
      continue;
    }
    const text = Array.isArray(claim) ? listText(claim, name, leftOut) : oneText(claim, name, leftOut);
    if (text !== undefined && !values.has(name)) values.set(name, text);
  }
  if (depth < MAX_DEPTH)
    for (const [name, claim] of objects)
      flatten(claim, { path: `${name}.`, depth: depth + 1, values, leftOut });
}

/** A value with a semicolon is left out: a group named `x;admins` would be two groups. */
function listText(items: readonly unknown[], name: string, leftOut: string[]): string | undefined {
  const texts = items.map(plainText).filter((text) => text !== undefined);
  const plain = texts.filter((text) => !text.includes(";"));
  if (plain.length < texts.length) leftOut.push(name);
  // An empty list is an attribute too: an empty string.
  return texts.length === 0 && items.length > 0 ? undefined : plain.join(";");
}

/** A single value with a semicolon is left out, too. */
function oneText(claim: unknown, name: string, leftOut: string[]): string | undefined {
  const text = plainText(claim);
  if (text?.includes(";") !== true) return text;
  leftOut.push(name);
  return undefined;
}

function plainText(claim: unknown): string | undefined {
  if (typeof claim === "string") return claim;
  return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
}

function isObject(claim: unknown): claim is Claims {
  return typeof claim === "object" && claim !== null && !Array.isArray(claim);
}

/** The attributes that have the values of these claims. */
export function attributesOfClaims(
  claims: readonly string[],
  prefix: string = DEFAULT_PREFIX,
): readonly string[] {
  return claims.flatMap((claim) => {
    const names = [prefix + claim, headerSpelling(prefix + claim)];
    return claim === "sub" ? [...names, "REMOTE_USER"] : names;
  });
}

const headerSpelling = (name: string): string => `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;

/** A spelling that two claims share is given to neither. */
function headerSpellings(named: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const spelled = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const [name, value] of named) {
    const spelling = headerSpelling(name);
    if (spelled.has(spelling)) ambiguous.add(spelling);
    spelled.set(spelling, value);
  }
  for (const spelling of ambiguous) spelled.delete(spelling);
  return spelled;
}
