/**
 * Claims as attributes for mapping rules, with the names that mod_auth_openidc gives them in Keystone.
 *
 * A claim `sub` is the attribute `OIDC-sub`, and `HTTP_OIDC_SUB`, its name where claims arrive in headers. Several values are
 * joined by semicolons; `address.country` is a member of an object. An attribute that two claims would have is left out. By the
 * settings, the texts are those of mod_auth_openidc too (`frontEndTexts`).
 */
import type { Assertion } from "../../../mappings/rules/evaluate-mapping.js";
import type { AnyOpenIdSettings } from "./openid-settings.js";
import { ExactNumber } from "../../../platform/text/exact-json.js";

export type Claims = Readonly<Record<string, unknown>>;

/** The prefix in Keystone's guides to mod_auth_openidc. */
export const DEFAULT_PREFIX = "OIDC-";
/** Objects within objects. */
const MAX_DEPTH = 8;

/** How the settings of a protocol name and write claims. */
export type ClaimReading = Pick<AnyOpenIdSettings, "attribute_prefix" | "claims_format" | "claims_as_keys">;

export interface ClaimAttributes {
  readonly attributes: Assertion;
  /** Texts by the names of claims, such as `sub` and `address.country`, in whatever format the attributes are. */
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

export function claimAttributes(claims: Claims, reading: ClaimReading = {}): ClaimAttributes {
  const { hasExactNumbers, ...described } = describe(claims, reading, ({ text }) => text);
  if (!hasExactNumbers) return described;
  const { attributes: rounded } = describe(claims, reading, (number) => String(number.rounded));
  return { ...described, rounded };
}

function describe(claims: Claims, reading: ClaimReading, print: (number: ExactNumber) => string) {
  const { attribute_prefix: prefix = DEFAULT_PREFIX, claims_format: format, claims_as_keys: keyed } = reading;
  const flattening: Flattening = {
    values: new Map(),
    names: new Set(),
    ambiguous: new Set(),
    leftOut: [],
    hasExactNumbers: false,
  };
  flatten(claims, { path: "", depth: 0, print, keyed: new Set(keyed), flattening });
  const { values, ambiguous, leftOut, hasExactNumbers } = flattening;
  for (const name of ambiguous) values.delete(name);
  const texts =
    format === "mod_auth_openidc"
      ? frontEndTexts(claims, { keyed: new Set(keyed), print, leftOut })
      : flattening;
  const attributes = new Map<string, string>();
  const taken = new Set<string>();
  const ambiguousAttributes = new Set<string>();
  for (const name of texts.names) {
    const value = texts.values.get(name);
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
    leftOut: [...new Set(leftOut)],
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
  /** Names of the objects that stand for the list of their keys. */
  readonly keyed: ReadonlySet<string>;
  readonly flattening: Flattening;
}

function flatten(claims: Claims, context: FlattenContext): void {
  const { path, depth, print, keyed, flattening } = context;
  const { values, names, ambiguous, leftOut } = flattening;
  const plainText = (claim: unknown): string | undefined => {
    if (typeof claim === "string") return claim;
    if (!(claim instanceof ExactNumber))
      return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
    flattening.hasExactNumbers = true;
    return print(claim);
  };
  for (const [key, member] of Object.entries(claims)) {
    const name = path + key;
    const claim = keyed.has(name) ? keysOf(member) : member;
    if (isObject(claim)) {
      if (depth < MAX_DEPTH) flatten(claim, { ...context, path: `${name}.`, depth: depth + 1 });
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

/**
 * Texts as mod_auth_openidc writes them with `OIDCClaimDelimiter ;`: `1` and `0` for booleans, six decimals, an object as compact JSON,
 * and lists of texts and booleans alone. Members of objects have no names of their own.
 */
function frontEndTexts(
  claims: Claims,
  { keyed, print, leftOut }: Pick<FlattenContext, "keyed" | "print"> & { readonly leftOut: string[] },
): Pick<Flattening, "names" | "values"> {
  const values = new Map<string, string>();
  for (const [name, member] of Object.entries(claims)) {
    const claim = keyed.has(name) ? keysOf(member) : member;
    if (claim === null || claim === undefined) continue;
    const text = Array.isArray(claim)
      ? listText(
          claim.map(flagText).filter((item) => item !== undefined),
          name,
          leftOut,
        )
      : oneText(flagText(claim) ?? numberText(claim, print) ?? JSON.stringify(claim), name, leftOut);
    if (text !== undefined) values.set(name, text);
  }
  return { values, names: new Set(Object.keys(claims)) };
}

/** A text or a boolean. */
function flagText(claim: unknown): string | undefined {
  if (typeof claim === "boolean") return claim ? "1" : "0";
  return typeof claim === "string" ? claim : undefined;
}

/** An integer as it is, others with six decimals. */
function numberText(claim: unknown, print: (number: ExactNumber) => string): string | undefined {
  if (claim instanceof ExactNumber) return print(claim);
  if (typeof claim !== "number") return undefined;
  return Number.isInteger(claim) ? String(claim) : claim.toFixed(6);
}

/** The keys of an object, which is how some providers list roles; anything else as it is. */
function keysOf(claim: unknown): unknown {
  return isObject(claim) ? Object.keys(claim) : claim;
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
