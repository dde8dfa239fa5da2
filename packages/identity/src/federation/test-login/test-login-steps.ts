/** The steps of a test login: what passed, what failed, and what was not reached. */
import type { ServiceError } from "../../platform/errors.js";
import type { VerifierType } from "../assertion-verifier.js";
import { AssertionForbiddenError, AssertionRefusedError } from "../federation-errors.js";
import type { LoginTrace, PassedCheck } from "../login-trace.js";
import type { TestLoginStep } from "./test-login-schema.js";

const AFTERWARDS = ["remote-id", "attributes", "mapping", "user", "groups", "projects"];

/** The checks of a login, in their usual order. */
const CHECKS: Readonly<Record<VerifierType, readonly string[]>> = {
  openid: ["message", "signature", "issuer", "audience", "time", "request", "replay", ...AFTERWARDS],
  saml2: [
    "message",
    "signature",
    "issuer",
    "recipient",
    "audience",
    "time",
    "request",
    "replay",
    ...AFTERWARDS,
  ],
  forwarded: AFTERWARDS,
};

/** Checks that logins with an access token do not have. */
const OF_BROWSERS = new Set(["request", "replay"]);

/** The steps of refusals that are a check by another name. */
const CHECK_OF_STEP: Readonly<Record<string, string>> = {
  "authorized-domains": "projects",
  state: "request",
};

export interface TestedLogin {
  readonly type: VerifierType;
  /** Whether it was made with an access token. */
  readonly isByToken: boolean;
  readonly trace: Pick<LoginTrace, "checks">;
  /** `undefined` if the login passed. */
  readonly failure: ServiceError | undefined;
}

export function stepsOf({ type, isByToken, trace, failure }: TestedLogin): TestLoginStep[] {
  const passed = trace.checks.map(passedStep);
  if (failure === undefined) return passed;
  const failed = failedStep(failure);
  const reached = new Set([...passed, failed].map(({ step }) => step));
  const others = CHECKS[type].filter(
    (check) => !reached.has(check) && !(isByToken && OF_BROWSERS.has(check)),
  );
  // A check that passed for one part of the message may fail for another.
  const before = passed.filter(({ step }) => step !== failed.step);
  return [...before, failed, ...others.map(unreachedStep)];
}

const passedStep = ({ check, ...facts }: PassedCheck): TestLoginStep => ({
  step: check,
  status: "passed",
  ...facts,
});

const unreachedStep = (step: string): TestLoginStep => ({
  step,
  status: "not-reached",
  message: "not reached",
});

function failedStep(failure: ServiceError): TestLoginStep {
  if (failure instanceof AssertionForbiddenError)
    return { step: checkOf(failure.facts.step), status: "failed", message: failure.facts.reason };
  if (!(failure instanceof AssertionRefusedError))
    return { step: "login", status: "failed", message: `${failure.code}: ${failure.message}` };
  const { facts, details } = failure;
  const { check = checkOf(facts.step), received, expected } = details;
  return {
    step: check,
    status: "failed",
    message: facts.reason,
    ...(received !== undefined && { received }),
    ...(expected !== undefined && { expected }),
  };
}

const checkOf = (step: string): string => CHECK_OF_STEP[step] ?? step;
