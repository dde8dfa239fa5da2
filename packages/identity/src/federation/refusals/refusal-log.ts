/** Why a federated login was rejected, for the log: names of attributes, never their values. */
import { ServiceError } from "../../platform/errors.js";
import { shortened } from "../../platform/text/quoted-value.js";
import type { VerifierLog } from "../assertion-verifier.js";
import { AssertionForbiddenError, AssertionRefusedError, type RefusalFacts } from "../federation-errors.js";

/** Of an error's message, in the log: it may quote what the client has sent. */
const MAX_MESSAGE_LENGTH = 500;

export function refusalFacts(failure: unknown): RefusalFacts {
  const isRefusal = failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError;
  return isRefusal ? failure.facts : { step: "login", reason: reasonOf(failure) };
}

export function logRefusal(
  log: Pick<VerifierLog, "info">,
  key: object,
  failure: unknown,
  message = "federated login refused",
): void {
  log.info({ federation: { ...key, ...refusalFacts(failure) } }, message);
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof ServiceError)) return "unexpected";
  return `${failure.code}: ${shortened(failure.message, MAX_MESSAGE_LENGTH)}`;
}
