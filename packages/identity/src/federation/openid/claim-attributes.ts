/**
 * Claims as mapping rules see them: as mod_auth_openidc hands them to Keystone.
 *
 * A claim `sub` is the attribute `OIDC-sub`, and `HTTP_OIDC_SUB` as it was called where the claims came in headers. Several
 * values have semicolons between them, and `address.country` is a member of an object.
 */
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";

export type Claims = Readonly<Record<string, unknown>>;

/** What Keystone's guides have mod_auth_openidc put before the names. */
const USUAL_PREFIX = "OIDC-";
/** Objects within objects. Nobody's claims are deeper. */
const MAX_DEPTH = 8;

export interface ClaimAttributes {
  readonly attributes: Assertion;
  /** Claims of which a value was left out, because rules would take it for several. */
  readonly leftOut: readonly string[];
}

/**
 * The names of claims that a provider tells elsewhere, and not here: as Entra ID does with the groups of somebody who has many.
 *
 * @see OpenID Connect Core 1.0, 5.6.2
 */
export function claimsElsewhere(claims: Claims): readonly string[] {
  const names = claims["_claim_names"];
  return isObject(names) ? Object.keys(names) : [];
}

/** @param prefix What stands before the names; `OIDC-` if left out. */
export function claimAttributes(claims: Claims, prefix: string = USUAL_PREFIX): ClaimAttributes {
  const values = new Map<string, string>();
  const leftOut: string[] = [];
  flatten(claims, { path: "", depth: 0, values, leftOut });
  const named = new Map(Array.from(values, ([name, value]) => [prefix + name, value]));
  const attributes = new Map([...headerSpellings(named), ...named]);
  // The name of a user whom a mapping doesn't name. Nobody whose own is left out is a client.
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

/** Plain claims come before members of objects: a claim that is called `a.b` is not replaced by one within `a`. */
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

/** A value with a semicolon would be two: whoever names a group `x;admins` would be in two groups. */
function listText(items: readonly unknown[], name: string, leftOut: string[]): string | undefined {
  const texts = items.map(plainText).filter((text) => text !== undefined);
  const plain = texts.filter((text) => !text.includes(";"));
  if (plain.length < texts.length) leftOut.push(name);
  // A user without groups has the attribute all the same, as an empty text.
  return texts.length === 0 && items.length > 0 ? undefined : plain.join(";");
}

/** What is one value must not be taken for several either. */
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

/** Names that two claims would have belong to neither. */
function headerSpellings(named: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const spelled = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const [name, value] of named) {
    const spelling = `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
    if (spelled.has(spelling)) ambiguous.add(spelling);
    spelled.set(spelling, value);
  }
  for (const spelling of ambiguous) spelled.delete(spelling);
  return spelled;
}
