/** `hamkit-identity policy`: checks policy files, shows the rules in force, and explains decisions. */
import { statSync } from "node:fs";

import type { Command } from "commander";

import {
  checkPolicyTexts,
  describeProblem,
  policyOf,
  PolicyFileError,
  readTexts,
  settingsOf,
} from "../policy/load-policy.js";
import { createPolicy, type PolicyInForce } from "../policy/policy-in-force.js";
import { readPolicyTexts, type PolicyText } from "../policy/rules/policy-files.js";
import { rulesInForce, type RuleInForce } from "../policy/rules-in-force.js";
import type { TokenScope } from "../tokens/token-payload.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface ListOptions extends SettingsOptions {
  readonly changed?: true;
}

interface ExplainOptions extends SettingsOptions {
  readonly user: string;
  readonly userDomain: string;
  readonly project?: string;
  readonly domain?: string;
  readonly system?: true;
  readonly body?: string;
}

export function addPolicyCommand(program: Command, context: CommandContext): void {
  const { stdout, end } = context;
  const print = (lines: readonly string[]) => void stdout.write(lines.map((line) => `${line}\n`).join(""));
  const policy = program
    .command("policy")
    .description("Check policy files, show rules, and explain decisions.");

  withSettings(policy.command("check"), context)
    .description(
      "Check policy files, without effect. Prints each problem with file, line and rule, and exits with 1 if there is one; without one, what the files open and close.",
    )
    .argument(
      "<path...>",
      "files, and folders with files, such as policy.d; later ones replace rules of earlier ones",
    )
    .action((paths: readonly string[], options: SettingsOptions) => {
      const texts = paths.flatMap(textsIn);
      const { rules, problems } = checkPolicyTexts(texts);
      print(problems.map(describeProblem));
      if (problems.length === 0)
        print(differenceLines(createPolicy({ ...settingsOf(settings(context, options)), written: rules })));
      print([`Files: ${texts.length}. Rules: ${rules.size}. Problems: ${problems.length}.`]);
      if (problems.length > 0) end(1);
    });

  withSettings(policy.command("list"), context)
    .description(
      "List the rules in force by the policy files of the settings: name, where it is from, and text.",
    )
    .option("--changed", "only those of files, and those that they affect")
    .action((options: ListOptions) => {
      const rules = rulesInForce(load(options)).filter(
        ({ isChanged }) => isChanged || options.changed !== true,
      );
      print(rules.map((rule) => `${rule.name}  [${placeOf(rule)}]  ${rule.text}`));
    });

  withSettings(policy.command("show"), context)
    .description(
      "Show a rule: its text in force and built in, the rules that it refers to, and what files open and close.",
    )
    .argument("<name>", "such as identity:delete_user")
    .action((name: string, options: SettingsOptions) => {
      const byName = new Map(rulesInForce(load(options)).map((rule) => [rule.name, rule]));
      const rule = byName.get(name);
      if (rule === undefined) throw new UnknownRuleError(name);
      print(showLines(rule, byName));
    });

  withSettings(policy.command("explain"), context)
    .description(
      "Explain step by step which rule allows or denies a request. Reads the database, and changes nothing.",
    )
    .argument("<method>", "such as DELETE")
    .argument("<path>", "with its query, such as /v3/users/ID")
    .requiredOption("--user <user>", "the caller: id, or name in --user-domain")
    .option("--user-domain <domain>", "id or name of the caller's domain", "default")
    .option("--project <id>", "with a token for this project")
    .option("--domain <id>", "with a token for this domain")
    .option("--system", "with a token for the system")
    .option("--body <json>", "the body of the request")
    .action(async (method: string, path: string, options: ExplainOptions) => {
      const { explainRequest } = await import("./explain-policy.js");
      const { user, userDomain: domain, body } = options;
      print(
        await explainRequest(settings(context, options), {
          method: method.toUpperCase(),
          path,
          body: body === undefined ? undefined : (JSON.parse(body) as unknown),
          caller: { user, domain },
          scope: scopeIn(options),
        }),
      );
    });

  function load(options: SettingsOptions): PolicyInForce {
    const ofPolicy = settingsOf(settings(context, options));
    return policyOf(readTexts(ofPolicy), ofPolicy);
  }
}

/** Neither a file nor the service has the rule. */
export class UnknownRuleError extends Error {
  override readonly name = "UnknownRuleError";
  readonly code = "policy/unknown-rule";

  constructor(name: string) {
    super(`no rule has the name "${name}"`);
  }
}

function textsIn(path: string): PolicyText[] {
  try {
    const isFolder = statSync(path).isDirectory();
    return readPolicyTexts(isFolder ? { file: undefined, folders: [path] } : { file: path, folders: [] });
  } catch (cause) {
    throw new PolicyFileError(`"${path}" can't be read`, { cause });
  }
}

function scopeIn({ project, domain, system }: ExplainOptions): TokenScope {
  if (project !== undefined) return { kind: "project", projectId: project };
  if (domain !== undefined) return { kind: "domain", domainId: domain };
  return system === true ? { kind: "system" } : { kind: "unscoped" };
}

function placeOf({ place }: RuleInForce): string {
  return place ?? "built in";
}

function differenceLines(policy: PolicyInForce): string[] {
  return rulesInForce(policy).flatMap(differencesOf);
}

function differencesOf({ name, opened, closed, crossesDomains }: RuleInForce): string[] {
  const sentences = [...opened, ...closed].map((sentence) => `  ${sentence}`);
  return sentences.length === 0
    ? []
    : [`${name}:${crossesDomains ? " reaches other domains:" : ""}`, ...sentences];
}

function showLines(rule: RuleInForce, byName: ReadonlyMap<string, RuleInForce>): string[] {
  const { name, text, builtIn = "none", scopes, uses } = rule;
  const others = uses.map((used) => byName.get(used)).filter((used) => used !== undefined);
  return [
    `${name}: ${text}`,
    `from: ${placeOf(rule)}`,
    `built in: ${builtIn}`,
    ...(scopes === undefined ? [] : [`tokens: ${scopes.join(", ")}`]),
    ...others.map((other) => `refers to ${other.name} [${placeOf(other)}]: ${other.text}`),
    ...differencesOf(rule),
  ];
}
