/** The policy of a process, which a reload replaces, and its decisions. */
import type { FastifyRequest } from "fastify";

import { andThen } from "../platform/concurrency/and-then.js";
import { messageOf } from "../platform/errors.js";
import type { Credentials, PolicyTarget } from "./caller.js";
import { isAllowed, wouldOutliveToken, type AccessCheck, type Action } from "./is-allowed.js";
import {
  createPolicy,
  NO_FILES,
  type AffectedAction,
  type AffectedAttributes,
  type PolicyInForce,
} from "./policy-in-force.js";
import type { RuleAttributes } from "./rules/percent-format.js";
import { attributesOfTarget, targetAttributes, type FindItem } from "./target-attributes.js";

export interface HeldPolicy {
  readonly current: PolicyInForce;
  replace(policy: PolicyInForce): void;
}

/** @param policy The built-in rules alone, if left out. */
export function holdPolicy(policy: PolicyInForce = createPolicy(NO_FILES)): HeldPolicy {
  let current = policy;
  return {
    get current() {
      return current;
    },
    replace(next) {
      current = next;
    },
  };
}

/** The token of a caller as responses show it, for rules that name its members. */
export type ShowToken = (caller: Credentials) => object | undefined;

export interface DecisionDeps {
  readonly policy: HeldPolicy;
  readonly find: FindItem;
  /** Rules that name members of tokens deny, if left out. */
  readonly showToken?: ShowToken | undefined;
  /** Told of each decision on a request by rules of files. */
  readonly observe?: ((decision: ObservedDecision) => void) | undefined;
}

/** A decision, and what it was made from. */
export interface ObservedDecision {
  readonly action: Action;
  readonly isAllowed: boolean;
  readonly caller: Credentials;
  readonly target: RuleAttributes;
  readonly token: object | undefined;
}

/**
 * Rules see of the target what is given here.
 *
 * @param parts Parts of the target by their names, as the API shows them: rules see all of their members.
 */
export type MayDo = (check: AccessCheck, parts?: Readonly<Record<string, object>>) => boolean;

/** Decides whether a request is allowed. */
export interface Decisions {
  /** On the target that a request names. */
  ofRequest(request: FastifyRequest, check: AccessCheck): boolean | Promise<boolean>;
  /** For checks within a handler, also in a transaction: it reads nothing, and asks the policy that is in force now. */
  within(request: FastifyRequest): MayDo;
  /** Whether policy files affect an action. */
  isAffected(action: Action): boolean;
}

export function createDecisions({ policy, find, showToken, observe }: DecisionDeps): Decisions {
  const affectedBy = ({ action }: AccessCheck) => policy.current.affected.get(action);

  return {
    ofRequest(request, check) {
      const affected = affectedBy(check);
      const { action, target = {} } = check;
      if (affected === undefined) return isAllowed(action, request.caller, target);
      const { named, namesToken } = affected;
      const { caller } = request;
      const token = namesToken ? showToken?.(caller) : undefined;
      const early =
        observe === undefined ? decideEarly(request, affected, { action, target, token }) : undefined;
      if (early !== undefined) return early;
      return andThen(targetAttributes({ action, request, target }, { named, find }), (found) => {
        const attributes = { target: found, token };
        const decision = decide(request, affected, { action, target, attributes });
        observe?.({ action, isAllowed: decision, caller, ...attributes });
        return decision;
      });
    },
    within(request) {
      const { affected: all } = policy.current;
      const { caller } = request;
      return ({ action, target = {} }, parts) => {
        const affected = all.get(action);
        if (affected === undefined) return isAllowed(action, caller, target);
        const token = affected.namesToken ? showToken?.(caller) : undefined;
        const attributes = { target: attributesOfTarget({ action, caller, target }, parts), token };
        return decide(request, affected, { action, target, attributes });
      };
    },
    isAffected: (action) => policy.current.affected.has(action),
  };
}

function decide(request: FastifyRequest, affected: AffectedAction, asked: AskedAction): boolean {
  return deniedByFault(request, asked, () => isAllowedBy(affected, request.caller, asked));
}

function decideEarly(
  request: FastifyRequest,
  affected: AffectedAction,
  asked: Omit<AskedAction, "attributes"> & { readonly token: object | undefined },
): boolean | undefined {
  const { caller } = request;
  const { action, target, token } = asked;
  return deniedByFault(request, asked, () =>
    wouldOutliveToken(action, caller, target) ? false : affected.decideEarly(caller, token),
  );
}

function deniedByFault<Decision>(
  { log }: FastifyRequest,
  { action }: Pick<AskedAction, "action">,
  decided: () => Decision,
): Decision | false {
  try {
    return decided();
  } catch (error) {
    log.warn({ action, reason: messageOf(error) }, "policy rule failed: denied");
    return false;
  }
}

interface AskedAction {
  readonly action: Action;
  readonly target: PolicyTarget;
  readonly attributes: AffectedAttributes;
}

/** @throws {RuleFault} */
export function isAllowedBy(
  affected: AffectedAction,
  caller: Credentials,
  { action, target, attributes }: AskedAction,
): boolean {
  return !wouldOutliveToken(action, caller, target) && affected.decide(caller, attributes);
}
