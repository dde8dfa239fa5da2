/** Validates the terms of an assertion: issuer, audience, recipient, lifetime, and the request that it answers. */
import type { X509Certificate } from "node:crypto";

import type { Moment } from "../../../platform/clock.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { BEARER, NAMESPACES, TRANSIENT_FORMAT, UNSPECIFIED_FORMAT } from "../../../saml/saml-names.js";
import { describeTime, isoTime, LEEWAY_MS } from "../../leeway.js";
import type { ComparedValues, LoginTrace, PassedCheck } from "../../login-trace.js";
import { checkStatus } from "./response-status.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  elementsIn,
  isNamed,
  requireChild,
  textOf,
  momentOf,
  parseMoment,
} from "./xml-reading.js";

/** The assertion is for another service, or another time. The message names the value received and the one expected. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  /** What was compared; `undefined` where the assertion lacks a part. */
  readonly details: ComparedValues | undefined;

  constructor(message: string, details?: ComparedValues) {
    super(message);
    this.details = details;
  }
}

/** A Response and its assertion. */
export interface ReadResponse {
  /** As it was signed. */
  readonly assertion: Element;
  /** As it was signed, or else unverified. */
  readonly response: Element;
  readonly isResponseSigned: boolean;
  readonly signer: X509Certificate;
}

export interface Expectations {
  /** The entity id of the provider. */
  readonly issuer: string;
  /** The entity ID of the service. */
  readonly audience: string;
  /** The ACS URL at which the assertion was handed in. */
  readonly recipient: string;
  readonly now: Moment;
  /** Whether an assertion without InResponseTo is accepted. */
  readonly mayBeUnsolicited: boolean;
  /** Whether such an assertion may lack an Audience: its Recipient names this service in any case. */
  readonly mayLackAudience: boolean;
  /** That of the NameID; any if left out. */
  readonly nameIdFormat?: string | undefined;
}

export interface AssertionTerms {
  readonly id: string;
  /** The request that it answers; `undefined` if unsolicited. */
  readonly inResponseTo: string | undefined;
  /** Until then it must not be used again. */
  readonly usableUntil: Moment;
  /** When the session at the provider ends; `undefined` without SessionNotOnOrAfter. */
  readonly sessionEndsAt: Moment | undefined;
}

/** The maximum lifetime, from IssueInstant to NotOnOrAfter: its ID is kept as used for that long. */
const MAX_LIFETIME_MS = 86_400_000;

const assertionName = (name: string) => ({ namespace: NAMESPACES.assertion, name });

/** Conditions that are checked, or always met. */
const KNOWN_CONDITIONS = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"];

/** @throws {AssertionError} {@link XmlError} */
export function checkAssertion(
  read: ReadResponse,
  expected: Expectations,
  trace?: Pick<LoginTrace, "passed">,
): AssertionTerms {
  const { assertion, response } = read;
  const { issuer, recipient, audience, now } = expected;
  checkResponse(read, expected);
  checkVersion(assertion);
  const issuedAt = checkIssueInstant(assertion, expected);
  const id = attributeOf(assertion, "ID") ?? "";
  require(id !== "", "Assertion has no ID");
  checkIssuer(requireChild(assertion, assertionName("Issuer")), expected);
  trace?.passed({
    check: "issuer",
    message: `Issuer is ${quoted(issuer)}`,
    received: issuer,
    expected: issuer,
  });
  const answers = attributeOf(response, "InResponseTo");
  const { inResponseTo, usableUntil } = checkSubject(assertion, { ...expected, issuedAt, answers });
  trace?.passed({
    check: "recipient",
    message: `Recipient is this ACS URL ${quoted(recipient)}`,
    received: recipient,
    expected: recipient,
  });
  const needsAudience = inResponseTo !== undefined || !expected.mayLackAudience;
  checkConditions(assertion, { ...expected, issuedAt, needsAudience });
  const sessionEndsAt = sessionEnd(assertion, expected);
  trace?.passed(
    needsAudience || childOf(assertion, assertionName("Conditions")) !== undefined
      ? {
          check: "audience",
          message: `Audience is the entity ID of this service ${quoted(audience)}`,
          received: audience,
          expected: audience,
        }
      : { check: "audience", message: "without an Audience (allow_missing_audience)", expected: audience },
    {
      check: "time",
      message: `issued at ${isoTime(issuedAt)}, usable until ${isoTime(usableUntil - LEEWAY_MS)}`,
      received: isoTime(issuedAt),
      expected: isoTime(now),
    },
  );
  trace?.passed(checkNameId(assertion, expected));
  return { id, inResponseTo, usableUntil, sessionEndsAt };
}

function checkResponse({ response, isResponseSigned }: ReadResponse, expected: Expectations): void {
  // As it was signed, where it was.
  checkStatus(response);
  checkVersion(response);
  checkIssueInstant(response, expected);
  const destination = attributeOf(response, "Destination");
  // A signed message without it could be delivered to another service. @see SAML bindings, 3.5.5.2
  const mayLackIt = destination === undefined && !isResponseSigned;
  require(mayLackIt ||
    destination ===
      expected.recipient, `Destination of the ${isResponseSigned ? "signed " : ""}Response is ${quoted(destination)}, expected this ACS URL ${quoted(expected.recipient)}`, compared(
    "recipient",
    destination,
    expected.recipient,
  ));
  const issuer = childOf(response, assertionName("Issuer"));
  if (issuer !== undefined) checkIssuer(issuer, expected);
}

export function checkVersion(element: Element): void {
  const version = attributeOf(element, "Version");
  require(version === "2.0", `Version of ${element.localName} is ${quoted(version)}, expected "2.0"`);
}

export function checkIssueInstant(element: Element, { now }: Pick<Expectations, "now">): Moment {
  const issuedAt = momentOf(element, "IssueInstant");
  if (issuedAt === undefined) throw new AssertionError(`${element.localName} has no IssueInstant`);
  if (issuedAt > now + LEEWAY_MS)
    throw new AssertionError(
      `IssueInstant of ${element.localName} is in the future: ${describeTime(issuedAt, now)}`,
      compared("time", isoTime(issuedAt), `at most ${isoTime(now + LEEWAY_MS)}`),
    );
  return issuedAt;
}

export function checkIssuer(issuer: Element, expected: Pick<Expectations, "issuer">): void {
  const text = textOf(issuer);
  require(text ===
    expected.issuer, `Issuer is ${quoted(text)}, expected the entity ID of the provider's metadata ${quoted(expected.issuer)}`, compared(
    "issuer",
    text,
    expected.issuer,
  ));
}

interface SubjectExpectations extends Expectations {
  readonly issuedAt: Moment;
  /** `InResponseTo` of the response. */
  readonly answers: string | undefined;
}

/** One bearer confirmation has to be valid. */
function checkSubject(assertion: Element, expected: SubjectExpectations) {
  const subject = requireChild(assertion, assertionName("Subject"));
  const confirmations = childrenOf(subject, assertionName("SubjectConfirmation")).filter(
    (confirmation) => attributeOf(confirmation, "Method") === BEARER,
  );
  let failure: unknown = new AssertionError(`Subject has no SubjectConfirmation of Method ${quoted(BEARER)}`);
  for (const confirmation of confirmations) {
    try {
      const inResponseTo = checkConfirmation(confirmation, expected);
      return { inResponseTo, usableUntil: lastEnd(confirmations, expected) + LEEWAY_MS };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** @see SAML core, 3.4.1.1: a provider that can't give the requested format has to refuse, but not all do. */
function checkNameId(
  assertion: Element,
  { nameIdFormat: expected }: Pick<Expectations, "nameIdFormat">,
): PassedCheck {
  const nameId = childOf(requireChild(assertion, assertionName("Subject")), assertionName("NameID"));
  const received = nameId && (attributeOf(nameId, "Format") ?? UNSPECIFIED_FORMAT);
  const isAny = expected === undefined || expected === UNSPECIFIED_FORMAT;
  require(isAny ||
    received ===
      expected, `Format of the NameID is ${quoted(received)}, expected ${quoted(expected)} (name_id_format)`, compared(
    "name-id",
    received,
    expected ?? "",
  ));
  if (received === undefined) return { check: "name-id", message: "without a NameID" };
  const hint = received === TRANSIENT_FORMAT ? ": another one at each login, which identifies no user" : "";
  return { check: "name-id", message: `NameID has the format ${quoted(received)}${hint}`, received };
}

function checkConfirmation(confirmation: Element, expected: SubjectExpectations): string | undefined {
  const { recipient, answers } = expected;
  const data = requireChild(confirmation, assertionName("SubjectConfirmationData"));
  const received = attributeOf(data, "Recipient");
  require(received ===
    recipient, `Recipient is ${quoted(received)}, expected this ACS URL ${quoted(recipient)}`, compared(
    "recipient",
    received,
    recipient,
  ));
  require(data.hasAttribute("NotOnOrAfter"), "SubjectConfirmationData has no NotOnOrAfter");
  checkTimes(data, expected);
  const inResponseTo = attributeOf(data, "InResponseTo");
  require(inResponseTo !== undefined ||
    expected.mayBeUnsolicited, "InResponseTo is missing: a browser's assertion must answer a request (IdP-initiated login is not accepted)", {
    check: "request",
  });
  require(answers === undefined ||
    answers ===
      inResponseTo, `InResponseTo of the Response is ${quoted(answers)}, that of the assertion ${quoted(inResponseTo)}`, compared(
    "request",
    answers,
    inResponseTo,
  ));
  return inResponseTo;
}

/**
 * The last time at which any of the confirmations is valid.
 *
 * @see SAML profiles, 4.1.4.5: until then the assertion's ID has to be kept, whichever of them is valid now.
 */
function lastEnd(confirmations: readonly Element[], { now, issuedAt }: SubjectExpectations): Moment {
  const ends = confirmations
    .flatMap((confirmation) => childrenOf(confirmation, assertionName("SubjectConfirmationData")))
    .map((data) => parseMoment(attributeOf(data, "NotOnOrAfter") ?? "") ?? now);
  return Math.min(Math.max(now, ...ends), issuedAt + MAX_LIFETIME_MS + LEEWAY_MS);
}

interface ConditionExpectations extends Expectations {
  readonly issuedAt: Moment;
  readonly needsAudience: boolean;
}

function checkConditions(assertion: Element, expected: ConditionExpectations): void {
  const { audience, needsAudience, mayBeUnsolicited } = expected;
  const conditions = childOf(assertion, assertionName("Conditions"));
  const restrictions = conditions ? childrenOf(conditions, assertionName("AudienceRestriction")) : [];
  const hint = mayBeUnsolicited ? "; allow_missing_audience accepts unsolicited assertions without one" : "";
  require(restrictions.length > 0 ||
    !needsAudience, `assertion has no Audience, expected ${quoted(audience)}${hint}`, compared(
    "audience",
    undefined,
    audience,
  ));
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, assertionName("Audience")).map(textOf);
    require(audiences.includes(
      audience,
    ), `Audience is ${audiences.map(quoted).join(", ")}, expected the entity ID of this service ${quoted(audience)}`, compared(
      "audience",
      audiences.join(", "),
      audience,
    ));
  }
  if (conditions === undefined) return;
  for (const each of elementsIn(conditions))
    require(KNOWN_CONDITIONS.some((name) =>
      isNamed(each, assertionName(name)),
    ), `Conditions holds ${quoted(each.localName)}, expected ${KNOWN_CONDITIONS.join(", ")}`);
  checkTimes(conditions, expected);
}

/** Checks `NotBefore` and `NotOnOrAfter`, where they are set. */
export function checkTimes(
  element: Element,
  { now, issuedAt }: { readonly now: Moment; readonly issuedAt: Moment },
): void {
  const { localName: name } = element;
  const from = momentOf(element, "NotBefore");
  if (from !== undefined && now < from - LEEWAY_MS)
    throw new AssertionError(
      `${name} is not yet valid: NotBefore is ${describeTime(from, now)}`,
      compared("time", `NotBefore ${isoTime(from)}`, `at most ${isoTime(now + LEEWAY_MS)}`),
    );
  const until = momentOf(element, "NotOnOrAfter");
  if (until === undefined) return;
  if (now >= until + LEEWAY_MS)
    throw new AssertionError(
      `${name} expired: NotOnOrAfter is ${describeTime(until, now)}`,
      compared("time", `NotOnOrAfter ${isoTime(until)}`, `after ${isoTime(now - LEEWAY_MS)}`),
    );
  if (until > issuedAt + MAX_LIFETIME_MS + LEEWAY_MS)
    throw new AssertionError(
      `NotOnOrAfter of ${name} is ${isoTime(until)}, expected at most 24 h after IssueInstant ${isoTime(issuedAt)}`,
      compared("time", `NotOnOrAfter ${isoTime(until)}`, `at most ${isoTime(issuedAt + MAX_LIFETIME_MS)}`),
    );
}

function sessionEnd(assertion: Element, { now }: Expectations): Moment | undefined {
  const statements = childrenOf(assertion, assertionName("AuthnStatement"));
  require(statements.length > 0, "assertion has no AuthnStatement");
  const ends = statements.flatMap((statement) => momentOf(statement, "SessionNotOnOrAfter") ?? []);
  if (ends.length === 0) return undefined;
  const end = Math.min(...ends);
  if (now >= end + LEEWAY_MS)
    throw new AssertionError(
      `session at the provider ended: SessionNotOnOrAfter is ${describeTime(end, now)}`,
      compared("time", `SessionNotOnOrAfter ${isoTime(end)}`, `after ${isoTime(now - LEEWAY_MS)}`),
    );
  return end;
}

function require(isSo: boolean, otherwise: string, details?: ComparedValues): void {
  if (!isSo) throw new AssertionError(otherwise, details);
}

function compared(check: string, received: string | undefined, expected: string | undefined): ComparedValues {
  return { check, ...(received !== undefined && { received }), ...(expected !== undefined && { expected }) };
}
