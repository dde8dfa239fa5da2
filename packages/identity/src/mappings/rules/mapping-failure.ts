/** Why an assertion could not be mapped. The names last; messages may change. */
export const MAPPING_FAILURES = [
  /** No rule holds for the assertion, or those that do give nothing. */
  "no-rule-matched",
  /** A template asks for `{0[3]}` of an attribute with fewer values. */
  "no-such-value",
  /** A template lays out (`{0:>10}`) an attribute that has several values. */
  "list-has-no-layout",
  /** Groups by name, but neither they nor the rule name a domain. */
  "group-without-domain",
  /** A group that should be JSON is none. */
  "malformed-group",
  /** An attribute for `projects_json` has no projects with roles in JSON. */
  "malformed-projects",
  /** Searching for the patterns of the rules took too long in these values. */
  "too-much-work",
] as const;

export type MappingFailureReason = (typeof MAPPING_FAILURES)[number];

/** An assertion could not be mapped. Not thrown at callers: `evaluateMapping` returns it. */
export class MappingFailure extends Error {
  override readonly name = "MappingFailure";
  readonly reason: MappingFailureReason;
  /** Where in the rules, such as `rules[0].local[1].groups`; `undefined` if it is no one place. */
  readonly place: string | undefined;

  constructor(reason: MappingFailureReason, message: string, place?: string) {
    super(place === undefined ? message : `${place}: ${message}`);
    this.reason = reason;
    this.place = place;
  }
}
