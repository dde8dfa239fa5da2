/** Costly rejections: the same assertion gets the same error for a minute, without the work. */
import { createHash } from "node:crypto";

import type { Clock, Moment } from "../../platform/clock.js";
import type { VerifiedAssertion } from "../assertion-verifier.js";

const MAX_REFUSALS = 1000;
const REFUSAL_LIFE_MS = 60_000;

interface Refusal {
  readonly failure: Error;
  readonly until: Moment;
  readonly revision: number;
}

/** A cache of costly rejections: the same assertion gets the same error for a minute, without the work. */
export function createRefusedAssertions({
  clock,
  revision,
}: {
  readonly clock: Clock;
  /** Another number as soon as a mapping or a provider may have changed. */
  readonly revision: () => number;
}) {
  const refusals = new Map<string, Refusal>();
  return {
    /** Throws the cached error of the assertion, if there is one. */
    check(assertion: VerifiedAssertion): void {
      // Usually the cache is empty: then a login computes no digest.
      if (refusals.size === 0) return;
      const key = digestOf(assertion);
      const known = refusals.get(key);
      if (known === undefined) return;
      if (clock.now() < known.until && known.revision === revision()) throw known.failure;
      refusals.delete(key);
    },

    add(assertion: VerifiedAssertion, failure: Error): void {
      const key = digestOf(assertion);
      refusals.delete(key);
      refusals.set(key, { failure, until: clock.now() + REFUSAL_LIFE_MS, revision: revision() });
      const [oldest] = refusals.keys();
      if (refusals.size > MAX_REFUSALS && oldest !== undefined) refusals.delete(oldest);
    },
  };
}

function digestOf({ identityProviderId, protocolId, attributes }: VerifiedAssertion): string {
  const text = JSON.stringify([identityProviderId, protocolId, attributes]);
  return createHash("sha256").update(text).digest("base64");
}
