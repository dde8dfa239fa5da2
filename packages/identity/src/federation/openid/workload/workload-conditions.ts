/** Which workloads of an issuer log in: the conditions on claims, and whether the job is that of a pull request. */
import type { ClaimCondition } from "../../../identity-providers/protocols/workload-settings.js";
import type { Assertion } from "../../../mappings/rules/evaluate-mapping.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { quotedClaim } from "../provider-requests.js";

/** Expected values that a rejection names. */
const MAX_NAMED = 5;

/** Reads a claim as text; `undefined` if it is missing. */
export type ReadClaim = (name: string) => string | undefined;

/** Claims as mapping rules see them: members of objects by their path, lists joined by semicolons. */
export function claimReader(attributes: Assertion, prefix: string): ReadClaim {
  return (name) => {
    const value = Object.hasOwn(attributes, prefix + name) ? attributes[prefix + name] : undefined;
    return typeof value === "string" ? value : undefined;
  };
}

/** The first condition that does not hold, as the log names it; `undefined` if all hold. */
export function conditionFault(
  conditions: readonly ClaimCondition[],
  readClaim: ReadClaim,
): string | undefined {
  for (const { claim, values } of conditions) {
    const value = readClaim(claim);
    if (value !== undefined && values.some((pattern) => matches(value, pattern))) continue;
    const expected = `${quotedClaim(values.slice(0, MAX_NAMED))}${values.length > MAX_NAMED ? ", …" : ""}`;
    return `unexpected ${quoted(claim)}: ${quoted(value)}, expected ${expected} (conditions)`;
  }
  return undefined;
}

/** The whole value, in linear time. A `*` stands for any characters but control characters. */
export function matches(value: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return value === pattern;
  if (hasUnusableCharacter(value) || !value.startsWith(first)) return false;
  let position = first.length;
  for (const part of others) {
    const found = value.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return value.length - last.length >= position && value.endsWith(last);
}

/** A control character, or a lone surrogate, which a database would replace. */
export function hasUnusableCharacter(value: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(value);
}

/**
 * What claims have in jobs of pull requests and merge requests: their code is that of a contributor.
 *
 * @see "About security hardening with OpenID Connect" of GitHub, "ID token payload" of GitLab.
 */
const PULL_REQUESTS: Readonly<Record<string, RegExp>> = {
  sub: /(?:^|:)pull_request(?:$|:)|:ref_type:merge_request(?:$|:)|:ref:refs\/(?:pull|merge-requests)\//,
  event_name: /^pull_request/,
  ref: /^refs\/(?:pull|merge-requests)\//,
  ref_path: /^refs\/(?:pull|merge-requests)\//,
  ref_type: /^merge_request/,
  pipeline_source: /^(?:merge_request_event|external_pull_request_event)$/,
};

/** The claim by which the job is that of a pull request; `undefined` if none. */
export function pullRequestClaim(readClaim: ReadClaim): string | undefined {
  return Object.keys(PULL_REQUESTS).find((name) => PULL_REQUESTS[name]?.test(readClaim(name) ?? ""));
}
