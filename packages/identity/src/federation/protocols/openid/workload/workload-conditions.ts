/** Which workloads of an issuer log in: the conditions on claims, and whether the job is that of a pull request. */
import type { ClaimCondition } from "../openid-settings.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import type { ClaimAttributes, Claims } from "../claim-attributes.js";
import { quotedClaim } from "../claims.js";

/** Expected values that a rejection names. */
const MAX_NAMED = 5;

/** What conditions read: texts of claims, members of objects by their path, lists joined by semicolons. */
export type ReadableClaims = Pick<ClaimAttributes, "values" | "leftOut" | "ambiguous">;

/** The first condition that does not hold, as the log names it; `undefined` if all hold. */
export function conditionFault(
  conditions: readonly ClaimCondition[],
  claims: ReadableClaims,
): string | undefined {
  for (const { claim, values } of conditions) {
    const value = claims.values.get(claim);
    if (value !== undefined && values.some((pattern) => matches(value, pattern))) continue;
    const expected = `${quotedClaim(values.slice(0, MAX_NAMED))}${values.length > MAX_NAMED ? ", …" : ""}`;
    const received = whyUnreadable(claim, claims) ?? quoted(value);
    return `unexpected ${quoted(claim)}: ${received}, expected ${expected} (conditions)`;
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

/** Why the job counts as that of a pull request, by the first claim that makes it one, or can't be read; `undefined` if none. */
export function pullRequestFault(payload: object, claims: ReadableClaims): string | undefined {
  for (const [name, pattern] of Object.entries(PULL_REQUESTS)) {
    const value = claims.values.get(name);
    // Each item of a list.
    if (value?.split(";").some((item) => pattern.test(item)) === true)
      return `the job belongs to a pull request: ${quoted(name)} is ${quoted(value)} (allow_pull_requests)`;
    const isUnread = value === undefined && ((payload as Claims)[name] ?? null) !== null;
    const why = whyUnreadable(name, claims) ?? (isUnread ? "no text" : undefined);
    if (why !== undefined)
      return `the job may belong to a pull request: ${quoted(name)} is ${why} (allow_pull_requests)`;
  }
  return undefined;
}

function whyUnreadable(name: string, { leftOut, ambiguous }: ReadableClaims): string | undefined {
  if (ambiguous.includes(name)) return "there by two spellings, of which neither counts";
  return leftOut.includes(name) ? "a value with a semicolon, which is left out" : undefined;
}
