/** The steps of a test login: what passed, what failed, and what was not reached. */
import type { ServiceError } from "../../platform/errors.js";
import { AssertionForbiddenError, AssertionRefusedError } from "../../federation/federation-errors.js";
import { providerAnswer } from "../../federation/provider-remedies.js";
import type { LoginTrace, PassedCheck } from "../../federation/login-trace.js";
import type { TestLoginStep } from "./test-login-schema.js";

/** The checks of all logins, after those of the protocol. */
const AFTERWARDS = ["remote-id", "attributes", "mapping", "user", "groups", "projects"];

/** The steps of refusals that are a check by another name. */
const CHECK_OF_STEP: Readonly<Record<string, string>> = {
  "authorized-domains": "projects",
  state: "request",
};

export interface TestedLogin {
  /** Those of the protocol, in their usual order. */
  readonly checks: readonly string[];
  readonly trace: Pick<LoginTrace, "checks">;
  /** `undefined` if the login passed. */
  readonly failure: ServiceError | undefined;
}

export function stepsOf({ checks, trace, failure }: TestedLogin): TestLoginStep[] {
  const passed = trace.checks.map(passedStep);
  if (failure === undefined) return passed;
  const failed = failedStep(failure);
  const reached = new Set([...passed, failed].map(({ step }) => step));
  const others = [...checks, ...AFTERWARDS].filter((check) => !reached.has(check));
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
    ...providerAnswer(facts.reason),
  };
}

const checkOf = (step: string): string => CHECK_OF_STEP[step] ?? step;
