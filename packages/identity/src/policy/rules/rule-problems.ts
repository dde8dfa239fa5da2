/** What is wrong with rules that could be read: parts that deny by mistake, names that nothing has, circles. */
import { readLeftSide } from "./left-side.js";
import type { PolicyProblem, WrittenRule } from "./policy-file.js";
import { CALLER_ATTRIBUTES, NULLABLE_CALLER_ATTRIBUTES } from "../caller-attributes.js";
import { faultOfAttribute, NULLABLE_TARGET_ATTRIBUTES } from "../target-parts.js";
import { compileFormat } from "./percent-format.js";
import { visitRule, type PolicyRule } from "./rule.js";

/** The names of actions begin so; any other name in a file is a rule for use in others. */
const ACTION_PREFIX = "identity:";

export function ruleProblems(
  written: ReadonlyMap<string, WrittenRule>,
  isBuiltIn: (name: string) => boolean,
): PolicyProblem[] {
  const isKnown = (name: string): boolean => written.has(name) || isBuiltIn(name);
  const problems: PolicyProblem[] = [];
  for (const [name, { file, line, rule }] of written) {
    const report = (reason: string): void => void problems.push({ file, line, rule: name, reason });
    if (name.startsWith(ACTION_PREFIX) && !isBuiltIn(name))
      report(`no action has the name "${name}": the rule has no effect`);
    visitRule(rule, (part) => {
      const reason = problemOf(part, isKnown);
      if (reason !== undefined) report(reason);
    });
  }
  for (const [name, circle] of circles(written)) {
    const place = written.get(name);
    if (place === undefined) continue;
    const reason = `refers to itself: ${[...circle, name].join(" > ")}`;
    problems.push({ file: place.file, line: place.line, rule: name, reason });
  }
  return problems;
}

function problemOf(part: PolicyRule, isKnown: (name: string) => boolean): string | undefined {
  if (part.kind === "unreadable") return part.reason;
  if (part.kind === "remote") return `"${part.url}" asks another server, which is not supported`;
  if (part.kind === "rule")
    return isKnown(part.name) ? undefined : `rule "${part.name}" is neither in a file nor built in`;
  if (part.kind !== "compare") return undefined;
  const side = readLeftSide(part.left);
  if (side.kind === "literal") return undefined;
  const [attribute = ""] = side.kind === "path" ? side.path : [];
  return CALLER_ATTRIBUTES.has(attribute)
    ? undefined
    : `"${part.left}" is neither a literal nor an attribute of callers, which are ${[...CALLER_ATTRIBUTES].join(", ")}`;
}

/** What is wrong with how rules name attributes of targets. */
export function attributeProblems(written: ReadonlyMap<string, WrittenRule>): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  for (const [name, { file, line, rule }] of written) {
    const withNone = keysComparedWithNone(rule);
    visitRule(rule, (part) => {
      const template = part.kind === "role" ? part.role : part.kind === "compare" ? part.right : "";
      const { keys, fault } = compileFormat(template);
      const faults = [fault, ...keys.map(faultOfAttribute)];
      if (part.kind === "compare") faults.push(faultOfNone(part, withNone));
      for (const reason of new Set(faults))
        if (reason !== undefined) problems.push({ file, line, rule: name, reason });
    });
  }
  return problems;
}

/** Keys that the rule compares with `None` itself: its author knows of it. */
function keysComparedWithNone(rule: PolicyRule): Set<string> {
  const keys = new Set<string>();
  visitRule(rule, (part) => {
    if (part.kind !== "compare" || part.left !== "None") return;
    for (const key of compileFormat(part.right).keys) keys.add(key);
  });
  return keys;
}

/** In oslo.policy `None` equals `None`: a token without a domain passes for what belongs to no domain. */
function faultOfNone(
  { left, right }: { readonly left: string; readonly right: string },
  withNone: ReadonlySet<string>,
): string | undefined {
  const [key = ""] = compileFormat(right).keys;
  if (!NULLABLE_CALLER_ATTRIBUTES.has(left) || !NULLABLE_TARGET_ATTRIBUTES.has(key) || withNone.has(key))
    return undefined;
  return `"${left}:${right}" compares what can be None on both sides, which oslo.policy takes for equal: add "and not None:%(${key})s"`;
}

/** Of each circle of rules, one that is in a file, and the way around. */
function circles(written: ReadonlyMap<string, WrittenRule>): [string, string[]][] {
  const found: [string, string[]][] = [];
  const done = new Set<string>();
  for (const start of written.keys()) {
    if (done.has(start)) continue;
    // A stack instead of recursion: a file may have a chain of thousands of rules.
    const way: { readonly name: string; readonly next: string[] }[] = [];
    const isOnWay = new Set<string>();
    const enter = (name: string): void => {
      const place = written.get(name);
      way.push({ name, next: place === undefined ? [] : referencesOf(place.rule) });
      isOnWay.add(name);
    };
    enter(start);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = top.next.pop();
      if (next === undefined) {
        done.add(top.name);
        isOnWay.delete(top.name);
        way.pop();
      } else if (isOnWay.has(next)) {
        const names = way.map(({ name }) => name);
        found.push([next, names.slice(names.indexOf(next))]);
      } else if (!done.has(next)) enter(next);
    }
  }
  return found;
}

function referencesOf(rule: PolicyRule): string[] {
  const names: string[] = [];
  visitRule(rule, (part) => {
    if (part.kind === "rule") names.push(part.name);
  });
  return names;
}
