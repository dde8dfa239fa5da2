/** Reads how and when the provider authenticated the user: the AuthnStatement of an assertion. */
import { quoted } from "../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../saml/saml-names.js";
import { AssertionError } from "./check-assertion.js";
import type { AuthnFacts, RequestedContexts } from "./requested-authn.js";
import { attributeOf, childOf, childrenOf, textOf } from "./xml-reading.js";
import { parseMoment } from "./xml-times.js";

const named = (name: string) => ({ namespace: NAMESPACES.assertion, name });

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
