/**
 * An assertion's attributes for mapping rules, with the names that web server modules give them in Keystone; how and when the provider
 * authenticated the user, and whether that is as the settings demand (ForceAuthn, RequestedAuthnContext).
 *
 * Each attribute appears by its name and its friendly name. `NAME_ID` and `IDP`, the issuer, are named as by mod_auth_mellon;
 * `REMOTE_USER` is the NameID. `Shib-AuthnContext-Class` and `Shib-Authentication-Instant`, which tell how and when the user was
 * authenticated, are named as by mod_shib.
 */
import type { Assertion } from "../../../mappings/rules/evaluate-mapping.js";
import { NAMESPACES } from "../../../saml/saml-names.js";
import { isoTime, describeTime, LEEWAY_MS } from "../../leeway.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  descendantsOf,
  requireChild,
  textOf,
  trimXml,
  parseMoment,
} from "./xml-reading.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { AssertionError } from "./check-assertion.js";
import type { Moment } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { Saml2Settings } from "./saml2-settings.js";

export interface AttributeOptions {
  /** The prefix of the names. */
  readonly prefix: string;
  /** A further attribute for the issuer; `null` for none. */
  readonly remoteIdAttribute: string | null;
  /** How the user was authenticated; without attributes if left out. */
  readonly authn?: AuthnFacts;
}

export interface AssertionAttributes {
  readonly attributes: Assertion;
  /** Names of attributes of which a value was left out: it contains a semicolon, and rules would read several values. */
  readonly leftOut: readonly string[];
}

const named = (name: string) => ({ namespace: NAMESPACES.assertion, name });

export function assertionAttributes(
  assertion: Element,
  { prefix, remoteIdAttribute, authn }: AttributeOptions,
): AssertionAttributes {
  const leftOut: string[] = [];
  const values = new Map<string, string>();
  const friendly = new Map<string, string[]>();
  for (const [name, { friendlyName, texts }] of collect(assertion)) {
    const plain = texts.filter((text) => !text.includes(";"));
    if (plain.length < texts.length)
      leftOut.push(prefix + name, ...(friendlyName === undefined ? [] : [prefix + friendlyName]));
    if (plain.length === 0) continue;
    values.set(name, plain.join(";"));
    if (friendlyName !== undefined)
      friendly.set(friendlyName, [...(friendly.get(friendlyName) ?? []), ...plain]);
  }
  // A name takes precedence over another attribute's friendly name.
  for (const [name, plain] of friendly) if (!values.has(name)) values.set(name, plain.join(";"));

  const received = nameIdOf(assertion);
  const nameId = received?.includes(";") ? undefined : received;
  if (received !== nameId) leftOut.push(`${prefix}NAME_ID`, "REMOTE_USER");
  const issuer = textOf(requireChild(assertion, named("Issuer")));
  const attributes = new Map(Array.from(values, ([name, value]) => [prefix + name, value]));
  if (nameId !== undefined) attributes.set(`${prefix}NAME_ID`, nameId).set("REMOTE_USER", nameId);
  attributes.set(`${prefix}IDP`, issuer);
  if (remoteIdAttribute !== null) attributes.set(remoteIdAttribute, issuer);
  for (const [name, value] of authnAttributes(authn))
    if (value === undefined) attributes.delete(prefix + name);
    else attributes.set(prefix + name, value);
  return { attributes: Object.fromEntries(attributes), leftOut };
}

/** Those without a value replace an attribute of the same name, too: the user may be able to set it. */
function authnAttributes(authn: AuthnFacts | undefined): (readonly [string, string | undefined])[] {
  if (authn === undefined) return [];
  const { contextClass, instant } = authn;
  return [
    ["Shib-AuthnContext-Class", contextClass?.includes(";") === true ? undefined : contextClass],
    ["Shib-Authentication-Instant", instant === undefined ? undefined : isoTime(instant)],
  ];
}

interface Collected {
  readonly friendlyName: string | undefined;
  readonly texts: string[];
}

function collect(assertion: Element): ReadonlyMap<string, Collected> {
  const collected = new Map<string, Collected>();
  for (const statement of childrenOf(assertion, named("AttributeStatement")))
    for (const attribute of childrenOf(statement, named("Attribute"))) {
      const name = attributeOf(attribute, "Name") ?? "";
      const known = collected.get(name);
      const texts = childrenOf(attribute, named("AttributeValue")).flatMap((value) => valueText(value));
      const friendlyName = known?.friendlyName ?? attributeOf(attribute, "FriendlyName");
      collected.set(name, { friendlyName, texts: [...(known?.texts ?? []), ...texts] });
    }
  return collected;
}

/** A value may be a NameID, such as eduPersonTargetedID's. Values with more structure are ignored. */
function valueText(value: Element): string[] {
  const leaves = descendantsOf(value).filter((element) => element.childNodes.length > 0);
  const text = trimXml(value.textContent ?? "");
  return leaves.length <= 2 && text !== "" ? [text] : [];
}

function nameIdOf(assertion: Element): string | undefined {
  const subject = requireChild(assertion, named("Subject"));
  const nameId = childOf(subject, named("NameID"));
  const text = nameId === undefined ? "" : textOf(nameId);
  return text === "" ? undefined : text;
}

/**
 * The first statement with an accepted context.
 *
 * @param requested `undefined` if any context is accepted, and none too.
 * @throws {AssertionError} {@link XmlError}
 */
export function readAuthnStatement(assertion: Element, requested: RequestedContexts | undefined): AuthnFacts {
  const statements = childrenOf(assertion, named("AuthnStatement")).map(factsOf);
  const accepted = statements.find(({ contextClass }) => isAccepted(contextClass, requested));
  if (accepted !== undefined) return accepted;
  const received = statements.map(({ contextClass }) => quoted(contextClass)).join(", ");
  const expected = requested?.comparison === "exact" ? requested.classes.map(quoted).join(" or ") : "any";
  throw new AssertionError(`AuthnContextClassRef is ${received}, expected ${expected} (authn_contexts)`);
}

function isAccepted(contextClass: string | undefined, requested: RequestedContexts | undefined): boolean {
  if (requested === undefined) return true;
  if (contextClass === undefined) return false;
  return requested.comparison !== "exact" || requested.classes.includes(contextClass);
}

function factsOf(statement: Element): AuthnFacts {
  const context = childOf(statement, named("AuthnContext"));
  const reference = context && childOf(context, named("AuthnContextClassRef"));
  return {
    contextClass: reference && (textOf(reference) || undefined),
    instant: parseMoment(attributeOf(statement, "AuthnInstant") ?? ""),
  };
}

type ContextSettings = Pick<Saml2Settings, "authn_contexts" | "authn_context_comparison">;

/** The requested authentication contexts. Structured-cloneable. */
export interface RequestedContexts {
  readonly classes: readonly string[];
  /** Only the provider can compare contexts by strength: with another comparison than `exact`, any class is accepted. */
  readonly comparison: NonNullable<ContextSettings["authn_context_comparison"]>;
}

/** How and when the provider authenticated the user. */
export interface AuthnFacts {
  /** The AuthnContextClassRef; `undefined` without one. */
  readonly contextClass: string | undefined;
  /** The AuthnInstant; `undefined` if it is missing or no time. */
  readonly instant: Moment | undefined;
}

/** @returns `undefined` if the settings name none. */
export function requestedContexts({
  authn_contexts: classes,
  authn_context_comparison: comparison = "exact",
}: ContextSettings): RequestedContexts | undefined {
  return classes && { classes, comparison };
}

/**
 * Checks that the provider has authenticated the user anew.
 *
 * @param times `since`: when the login began.
 * @throws {AssertionRefusedError}
 */
export function checkFreshAuthn(
  { instant }: AuthnFacts,
  { since, now }: { readonly since: Moment; readonly now: Moment },
): void {
  if (instant === undefined)
    throw refused(
      "AuthnInstant is missing, or no time in UTC, expected the time of this login (force_authn)",
    );
  if (instant < since - LEEWAY_MS)
    throw refused(
      `AuthnInstant is ${describeTime(instant, now)}; the provider did not authenticate the user anew (force_authn), expected at least ${describeTime(since, now)}`,
    );
  if (instant > now + LEEWAY_MS)
    throw refused(`AuthnInstant is in the future: ${describeTime(instant, now)}`);
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "assertion", reason });
}
