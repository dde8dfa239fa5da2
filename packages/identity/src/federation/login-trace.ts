/** What a test login shows of a login: the checks that passed. Real logins pass the same checks, and drop the trace. */
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { MappingTrace } from "../mappings/rules/trace-mapping.js";
import { quoted } from "../platform/text/quoted-value.js";

/** The check of a login, and what it compared. */
export interface ComparedValues {
  /** Finer than the `step` of log lines: such as `audience`, where the step is `assertion`. */
  readonly check: string;
  readonly received?: string;
  readonly expected?: string;
}

export interface PassedCheck extends ComparedValues {
  /** In words. */
  readonly message: string;
}

export interface LoginTrace {
  /** The test login that the browser has begun; `undefined` for other logins. */
  testLoginId: string | undefined;
  /** In their order. */
  readonly checks: readonly PassedCheck[];
  passed(...checks: readonly PassedCheck[]): void;
  /** Of the verified assertion; `undefined` until it is verified. */
  attributes?: Assertion;
  /** What the mapping makes of them. */
  mapping?: MappingTrace & { readonly id: string };
}

export function createLoginTrace(testLoginId?: string): LoginTrace {
  const checks: PassedCheck[] = [];
  return { testLoginId, checks, passed: (...some) => void checks.push(...some) };
}

/** Groups that a test login names. */
const MAX_NAMED_GROUPS = 5;

/** How many groups a login gives, and why others are ignored. */
export function tracedGroups(count: number, missing: readonly string[]): string {
  const named = missing.slice(0, MAX_NAMED_GROUPS).join(", ");
  const others = missing.length > MAX_NAMED_GROUPS ? ", …" : "";
  return `${count} ${count === 1 ? "group" : "groups"}${missing.length === 0 ? "" : `; ignored: ${named}${others}`}`;
}

/** Which rules of a mapping matched, counted from 1. */
export function tracedRules({ id, trace }: NonNullable<LoginTrace["mapping"]>): string {
  const matched = trace.filter((rule) => rule.matched).map(({ rule }) => rule + 1);
  return `${matched.length === 1 ? "rule" : "rules"} ${matched.join(", ")} of mapping ${quoted(id)} matched`;
}

/** @param remoteId Accepted, as `remoteIds` have it, or as they are empty. */
export function tracedRemoteId(remoteIds: readonly string[], remoteId: string | undefined): PassedCheck {
  const message =
    remoteIds.length === 0
      ? "the provider has no remote_ids: any is accepted"
      : `${quoted(remoteId)} is among the provider's remote_ids`;
  const received = remoteId === undefined ? {} : { received: remoteId };
  return { check: "remote-id", message, ...received, expected: remoteIds.join(", ") };
}
