/** What somebody trustworthy says of a user, found to be so. */
import type { Moment } from "../platform/clock.js";
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";

declare const VERIFIED: unique symbol;

/** An assertion that a verifier has made, from signed bytes or from whom an operator trusts: nobody else can make one. */
export interface VerifiedAssertion extends AssertionFacts {
  readonly [VERIFIED]: true;
}

export interface AssertionFacts {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** Who has said it: what a provider lists as its remote ids. `undefined` where that is not said. */
  readonly remoteId: string | undefined;
  /** As mapping rules see them. */
  readonly attributes: Assertion;
  /** When the session at the provider ends (`SessionNotOnOrAfter`), and every token with it; `undefined` where it is open. */
  readonly expiresAt: Moment | undefined;
  /** The dashboard that the browser wants to go to, as a verifier has kept it; see `VerifierRequest`. */
  readonly origin?: string | undefined;
}

/** For verifiers alone. */
export function asVerified(facts: AssertionFacts): VerifiedAssertion {
  return facts as VerifiedAssertion;
}
