/** Why an assertion could not be mapped. The names are stable; messages may change. */
export const MAPPING_FAILURES = [
  /** No rule matches the assertion, or the matching rules assign nothing. */
  "no-rule-matched",
  /** A template has `{0[3]}` where the attribute has fewer values. */
  "no-such-value",
  /** A template has a format spec (`{0:>10}`) where the attribute has several values. */
  "list-has-no-layout",
  /** Groups by name, without a domain of their own or in the rule. */
  "group-without-domain",
  /** A group is not valid JSON. */
  "malformed-group",
  /** The value for `projects_json` is not a JSON list of projects with roles. */
  "malformed-projects",
  /** The evaluation exceeded its step budget. */
  "too-much-work",
] as const;

export type MappingFailureReason = (typeof MAPPING_FAILURES)[number];

/** An assertion could not be mapped. Not thrown at callers: `evaluateMapping` returns it. */
export class MappingFailure extends Error {
  override readonly name = "MappingFailure";
  readonly reason: MappingFailureReason;
  /** Where in the rules, such as `rules[0].local[1].groups`; `undefined` if no single place. */
  readonly place: string | undefined;

  constructor(reason: MappingFailureReason, message: string, place?: string) {
    super(place === undefined ? message : `${place}: ${message}`);
    this.reason = reason;
    this.place = place;
  }
}
