/** Evaluating a rule failed, as an exception in oslo.policy: the request is denied, whatever stands around the check. */
export class RuleFault extends Error {
  override readonly name = "RuleFault";
  readonly code = "policy/rule-fault";
}
