/** Whether an assertion is meant for this service, at this place and time. */
import type { Moment } from "../../platform/clock.js";
import { BEARER, NAMESPACES, SUCCESS } from "./saml-names.js";
import type { ReadResponse } from "./saml-response.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  elementsIn,
  isNamed,
  requireChild,
  textOf,
} from "./xml-reading.js";

/** The assertion is for somebody else, or for another time. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

export interface Expectations {
  /** The entity id of the provider. */
  readonly issuer: string;
  /** What the service is known as. */
  readonly audience: string;
  /** Where the assertion was handed in. */
  readonly recipient: string;
  readonly now: Moment;
  /** Whether nobody needs to have asked for it: it then has to say where it belongs, which stands for its audience. */
  readonly mayBeUnsolicited: boolean;
}

export interface AssertionTerms {
  readonly id: string;
  /** The request that it answers; `undefined` where it answers none. */
  readonly inResponseTo: string | undefined;
  /** Until when it must not be used again. */
  readonly usableUntil: Moment;
  /** When the session at the provider ends; `undefined` where that is not said. */
  readonly sessionEndsAt: Moment | undefined;
}

/** How far clocks may differ. */
const SKEW_MS = 60_000;

const assertionName = (name: string) => ({ namespace: NAMESPACES.assertion, name });
const protocolName = (name: string) => ({ namespace: NAMESPACES.protocol, name });

/** Conditions that are understood, or ask for what is done anyway. */
const KNOWN_CONDITIONS = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"];

/** @throws {AssertionError} {@link XmlError} */
export function checkAssertion(
  { assertion, response }: ReadResponse,
  expected: Expectations,
): AssertionTerms {
  checkResponse(response, expected);
  require(attributeOf(assertion, "Version") === "2.0", "the version is not 2.0");
  const id = attributeOf(assertion, "ID") ?? "";
  require(id !== "", "it has no id");
  checkIssuer(requireChild(assertion, assertionName("Issuer")), expected);
  const { inResponseTo, until } = checkSubject(assertion, expected);
  require(inResponseTo !== undefined || expected.mayBeUnsolicited, "nobody has asked for it");
  const answered = attributeOf(response, "InResponseTo");
  require(answered === undefined || answered === inResponseTo, "the response answers another request");
  checkConditions(assertion, { ...expected, needsAudience: inResponseTo !== undefined });
  return { id, inResponseTo, usableUntil: until + SKEW_MS, sessionEndsAt: sessionEnd(assertion, expected) };
}

function checkResponse(response: Element, expected: Expectations): void {
  const status = requireChild(requireChild(response, protocolName("Status")), protocolName("StatusCode"));
  require(attributeOf(status, "Value") === SUCCESS, "the provider has refused");
  const destination = attributeOf(response, "Destination");
  require(destination === undefined || destination === expected.recipient, "the destination is another one");
  const issuer = childOf(response, assertionName("Issuer"));
  if (issuer !== undefined) checkIssuer(issuer, expected);
}

function checkIssuer(issuer: Element, expected: Expectations): void {
  require(textOf(issuer) === expected.issuer, "the issuer is another one");
}

/** One of the ways in which the subject may be confirmed has to be met. */
function checkSubject(assertion: Element, expected: Expectations) {
  const subject = requireChild(assertion, assertionName("Subject"));
  const confirmations = childrenOf(subject, assertionName("SubjectConfirmation")).filter(
    (confirmation) => attributeOf(confirmation, "Method") === BEARER,
  );
  let failure: unknown = new AssertionError("the subject is not confirmed for whoever brings it");
  for (const confirmation of confirmations) {
    try {
      return checkConfirmation(confirmation, expected);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function checkConfirmation(confirmation: Element, { recipient, now }: Expectations) {
  const data = requireChild(confirmation, assertionName("SubjectConfirmationData"));
  require(attributeOf(data, "Recipient") === recipient, "the recipient is another one");
  const until = momentOf(data, "NotOnOrAfter");
  require(until !== undefined && now < until + SKEW_MS, "it has expired, or never does");
  const from = momentOf(data, "NotBefore");
  require(from === undefined || now >= from - SKEW_MS, "it is not to be used yet");
  return { inResponseTo: attributeOf(data, "InResponseTo"), until: until ?? now };
}

function checkConditions(
  assertion: Element,
  { audience, now, needsAudience }: Expectations & { readonly needsAudience: boolean },
): void {
  const conditions = childOf(assertion, assertionName("Conditions"));
  const restrictions = conditions ? childrenOf(conditions, assertionName("AudienceRestriction")) : [];
  require(restrictions.length > 0 || !needsAudience, "it doesn't say for whom it is");
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, assertionName("Audience")).map(textOf);
    require(audiences.includes(audience), "the audience is another one");
  }
  if (conditions === undefined) return;
  const isKnown = (each: Element) => KNOWN_CONDITIONS.some((name) => isNamed(each, assertionName(name)));
  require(elementsIn(conditions).every(isKnown), "it has a condition that is not understood");
  const from = momentOf(conditions, "NotBefore");
  require(from === undefined || now >= from - SKEW_MS, "it is not to be used yet");
  const until = momentOf(conditions, "NotOnOrAfter");
  require(until === undefined || now < until + SKEW_MS, "it has expired");
}

function sessionEnd(assertion: Element, { now }: Expectations): Moment | undefined {
  const statements = childrenOf(assertion, assertionName("AuthnStatement"));
  require(statements.length > 0, "it doesn't say that the user has logged in");
  const ends = statements.flatMap((statement) => momentOf(statement, "SessionNotOnOrAfter") ?? []);
  if (ends.length === 0) return undefined;
  const end = Math.min(...ends);
  require(now < end + SKEW_MS, "the session at the provider has ended");
  return end;
}

/** In UTC, as SAML has it. */
function momentOf(element: Element, name: string): Moment | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  require(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text), `${name} is no time`);
  const moment = Date.parse(text.replace(/(\.\d{3})\d+/, "$1"));
  require(!Number.isNaN(moment), `${name} is no time`);
  return moment;
}

function require(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new AssertionError(otherwise);
}
