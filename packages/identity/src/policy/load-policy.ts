/** Loads the policy of a process from its files. */
import { createPolicy, type PolicyInForce, type PolicyRules } from "./policy-in-force.js";
import { isBuiltInRule } from "./rules/default-rule-texts.js";
import type { PolicyProblem } from "./rules/policy-file.js";
import {
  mergePolicyFiles,
  readPolicyTexts,
  type MergedPolicy,
  type PolicyText,
} from "./rules/policy-files.js";
import { attributeProblems, ruleProblems } from "./rules/rule-problems.js";

/** As the settings have it. */
export interface PolicySettings extends Omit<PolicyRules, "written" | "builtIn"> {
  readonly file: string | undefined;
  readonly folders: readonly string[];
}

/** @param config Settings of the service. */
export function settingsOf(config: {
  readonly policy: Omit<PolicySettings, "reachesAllSecrets">;
  readonly credential: { readonly allowsCrossDomain: boolean };
}): PolicySettings {
  return { ...config.policy, reachesAllSecrets: config.credential.allowsCrossDomain };
}

/** Policy files have problems: none of their rules is applied. */
export class PolicyRefusedError extends Error {
  override readonly name = "PolicyRefusedError";
  readonly code = "policy/refused-files";
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(
      `policy files are refused:\n${problems.map((problem) => `  ${describeProblem(problem)}`).join("\n")}`,
    );
    this.problems = problems;
  }
}

/** A policy file can't be read. */
export class PolicyFileError extends Error {
  override readonly name = "PolicyFileError";
  readonly code = "policy/unreadable-file";
}

export function describeProblem({ file, line, rule, reason }: PolicyProblem): string {
  return `${file}:${line}: ${rule === undefined ? "" : `${rule}: `}${reason}`;
}

/** @throws {PolicyFileError} */
export function readTexts(settings: Pick<PolicySettings, "file" | "folders">): PolicyText[] {
  try {
    return readPolicyTexts(settings);
  } catch (cause) {
    throw new PolicyFileError("a policy file can't be read", { cause });
  }
}

/** Merges files, and finds all that is wrong with them. */
export function checkPolicyTexts(texts: readonly PolicyText[]): MergedPolicy {
  const { rules, problems } = mergePolicyFiles(texts);
  return {
    rules,
    problems: [...problems, ...ruleProblems(rules, isBuiltInRule), ...attributeProblems(rules)],
  };
}

/** @throws {PolicyRefusedError} */
export function policyOf(texts: readonly PolicyText[], settings: PolicySettings): PolicyInForce {
  const { rules, problems } = checkPolicyTexts(texts);
  if (problems.length > 0) throw new PolicyRefusedError(problems);
  return createPolicy({ ...settings, written: rules });
}
