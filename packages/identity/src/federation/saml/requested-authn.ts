/** How a protocol's settings want the provider to authenticate users (ForceAuthn, RequestedAuthnContext), and whether it did. */
import type { OpenedSettings } from "../../identity-providers/protocols/protocol-settings.js";
import type { Moment } from "../../platform/clock.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { describeTime, LEEWAY_MS } from "../leeway.js";

type ContextSettings = Pick<
  Extract<OpenedSettings, { readonly type: "saml2" }>,
  "authn_contexts" | "authn_context_comparison"
>;

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
