/**
 * Reads policy files: YAML, of which JSON is a part, with a rule for each name.
 *
 * Stricter than oslo.policy, which takes `no`, `0`, an unquoted `!` and an empty value for "everybody may", and a rule that it can't
 * read for one that denies, so that `not` over it allows: all of that is a problem here.
 */
import { isAlias, isMap, isScalar, LineCounter, parseAllDocuments, type Document, type Pair } from "yaml";

import { hasNul } from "../../platform/text/text-length.js";
import { parseRule, parseRuleList } from "./parse-rule.js";
import type { PolicyRule } from "./rule.js";
import { isYamlTooDeep } from "../../platform/text/yaml-nesting.js";

/** What is wrong with a policy file. */
export interface PolicyProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The name of the rule; `undefined` if the file as a whole can't be read. */
  readonly rule: string | undefined;
  readonly reason: string;
}

export interface WrittenRule {
  readonly file: string;
  readonly line: number;
  readonly rule: PolicyRule;
}

export interface PolicyFile {
  readonly rules: ReadonlyMap<string, WrittenRule>;
  readonly problems: readonly PolicyProblem[];
}

/** Characters of a policy file. */
const MAX_CHARACTERS = 1 << 20;

/** Rules of a policy file. */
const MAX_RULES = 10_000;

/** @param file Its name in problems. */
export function readPolicyFile(text: string, file: string): PolicyFile {
  const lines = new LineCounter();
  const rules = new Map<string, WrittenRule>();
  const problems: PolicyProblem[] = [];
  const lineAt = (offset: number | undefined): number => Math.max(lines.linePos(offset ?? 0).line, 1);
  const report = (line: number, rule: string | undefined, reason: string): void => {
    problems.push({ file, line, rule, reason });
  };
  const result = { rules, problems };
  if (text.length > MAX_CHARACTERS)
    report(1, undefined, `${text.length} characters, expected at most ${MAX_CHARACTERS}`);
  else if (hasNul(text)) report(1, undefined, "the file has U+0000");
  else if (isYamlTooDeep(text)) report(1, undefined, "nested too deep, expected rules and lists of lists");
  if (problems.length > 0) return result;

  const [document, another] = parseDocuments(text, lines, report);
  if (document === undefined) return result;
  for (const problem of [...document.errors, ...document.warnings])
    report(lineAt(problem.pos[0]), undefined, problem.message);
  if (another !== undefined)
    report(lineAt(another.range[0]), undefined, "a second document, expected one in a file");
  if (problems.length > 0) return result;

  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return result;
  if (!isMap(contents)) {
    report(lineAt(contents.range[0]), undefined, "expected a map of names to rules");
    return result;
  }
  if (contents.items.length > MAX_RULES) {
    report(1, undefined, `${contents.items.length} rules, expected at most ${MAX_RULES}`);
    return result;
  }
  for (const pair of contents.items) {
    const line = lineAt(isScalar(pair.key) ? pair.key.range?.[0] : contents.range[0]);
    const name = isScalar(pair.key) ? pair.key.value : undefined;
    if (typeof name !== "string" || name === "") {
      report(line, undefined, "expected the name of a rule before the colon");
      continue;
    }
    const rule = ruleOf(pair, document);
    if (typeof rule === "string") report(line, name, rule);
    else rules.set(name, { file, line, rule });
  }
  return result;
}

function parseDocuments(
  text: string,
  lineCounter: LineCounter,
  report: (line: number, rule: undefined, reason: string) => void,
): readonly Document.Parsed[] {
  try {
    const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    // Such as more nesting than the stack holds.
    report(1, undefined, (error as Error).message);
    return [];
  }
}

/** The rule of an entry, or what is wrong with it. */
function ruleOf({ value: node }: Pair, document: Document.Parsed): PolicyRule | string {
  let value: unknown;
  try {
    const source = isAlias(node) ? node.resolve(document) : node;
    value = (source as { toJS?: (of: Document, options: object) => unknown } | null)?.toJS?.(document, {
      maxAliasCount: 100,
    });
  } catch (error) {
    return (error as Error).message;
  }
  if (isLeaf(value)) return value.trim() === "" ? whatIsExpected("an empty text") : parseRule(value);
  if (Array.isArray(value) && value.length > 0 && value.every(isItem)) return parseRuleList(value);
  return whatIsExpected(value === undefined ? "null" : (JSON.stringify(value)?.slice(0, 100) ?? "nothing"));
}

function whatIsExpected(found: string): string {
  return `${found} is no rule: expected a text such as "role:admin", "@" for everybody or "!" for nobody, in quotes`;
}

const isLeaf = (value: unknown): value is string => typeof value === "string";

const isItem = (item: unknown): item is string | string[] =>
  Array.isArray(item) ? item.length > 0 && item.every(isCheck) : isCheck(item);

const isCheck = (item: unknown): boolean => isLeaf(item) && item !== "";
