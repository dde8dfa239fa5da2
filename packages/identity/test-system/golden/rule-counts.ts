/** Counts the differences from a recording by the rules that explain them. */
import { readFileSync } from "node:fs";

import type { FileRules, Rules } from "./golden-rules.js";
import type { Difference } from "./recorded-requests.js";

const DIFFERENCES = readFileSync(
  new URL("../../../../docs/identity/differences.md", import.meta.url),
  "utf8",
);

/** The headings of docs/identity/differences.md. */
export const DOCUMENTED_RULES: readonly string[] = headingsOf(DIFFERENCES);

/** Rules on requests of all resources, which name no single requests. */
export const GENERAL_RULES: ReadonlySet<string> = new Set(
  headingsOf(/^## All requests\n(.*?)^## /ms.exec(DIFFERENCES)?.[1] ?? ""),
);

function headingsOf(text: string): string[] {
  return Array.from(text.matchAll(/^### (.+)$/gm), ([, rule = ""]) => rule);
}

/** The names of all rules. */
export function rulesIn(...recordings: readonly Rules[]): string[] {
  const files = recordings.flatMap((recording) => Object.values(recording));
  return [...new Set(files.flatMap((file) => Object.keys(file)))];
}

/**
 * How many requests differ by each rule; one that differs by none, or by more than one, stands for itself.
 *
 * @param byChance Requests that are not counted.
 */
export function countsOf(
  differences: readonly Pick<Difference, "request" | "details">[],
  rules: FileRules = {},
  byChance?: RegExp,
): Record<string, number> {
  const counts: Record<string, number> = {};
  // One answer may differ in its headers and in its body.
  const requests = new Map(differences.map(({ request, details }) => [request, details]));
  for (const [request, details] of requests) {
    if (byChance?.test(request) === true) continue;
    const names = Object.entries(rules)
      .filter(([, [, pattern]]) => pattern.test(request))
      .map(([rule]) => rule);
    const name = names.length === 1 ? (names[0] ?? "") : `${names.join(", ")}: ${details}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export function expectedCounts(rules: FileRules = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(rules).map(([rule, [count]]) => [rule, count]));
}
