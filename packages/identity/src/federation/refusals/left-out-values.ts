/** Warns of values that an assertion lacks, if the mapping's rules read their attribute: once an hour, not at each login. */
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import type { Clock } from "../../platform/clock.js";
import type { VerifiedAssertion, VerifierLog } from "../assertion-verifier.js";
import { createHourly } from "./hourly.js";

export interface AssertionReading {
  readonly assertion: VerifiedAssertion;
  readonly mapping: Mapping;
  readonly log: VerifierLog | undefined;
}

/** @returns A function that warns; it costs nothing where no value was left out. */
export function createLeftOutWarnings({ clock }: { readonly clock: Clock }) {
  const isDue = createHourly({ clock });
  return ({ assertion, mapping, log }: AssertionReading): void => {
    const { identityProviderId: idpId, protocolId, leftOut = [] } = assertion;
    for (const { reason, attributes } of leftOut) {
      const read = attributes.filter(
        (name) => isRead(name, mapping) && isDue(idpId, protocolId, reason, name),
      );
      if (read.length > 0) log?.warn({ idpId, protocolId, attributes: read }, reason);
    }
  };
}

function isRead(name: string, { rules }: Mapping): boolean {
  return rules.some(({ conditions }) => conditions.some(({ attribute }) => attribute === name));
}
