/** The policy file of a cloud and the files in its folders of policies, found and merged. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { readPolicyFile, type PolicyProblem, type WrittenRule } from "./policy-file.js";

export interface PolicyText {
  /** Its name in problems. */
  readonly file: string;
  readonly text: string;
}

export interface MergedPolicy {
  /** For each name, the rule of the last file that has one. */
  readonly rules: ReadonlyMap<string, WrittenRule>;
  readonly problems: readonly PolicyProblem[];
}

export interface PolicyPlaces {
  readonly file: string | undefined;
  /** Missing ones are skipped, as in oslo.policy. */
  readonly folders: readonly string[];
}

/** @param files Weakest first. A file with problems takes nothing from the others. */
export function mergePolicyFiles(files: readonly PolicyText[]): MergedPolicy {
  const rules = new Map<string, WrittenRule>();
  const problems: PolicyProblem[] = [];
  for (const { file, text } of files) {
    const read = readPolicyFile(text, file);
    for (const [name, rule] of read.rules) rules.set(name, rule);
    problems.push(...read.problems);
  }
  return { rules, problems };
}

/**
 * The texts of all files, weakest first: those of a folder in the order of their names' bytes.
 *
 * @throws An error of `node:fs`, if the policy file is missing or one can't be read.
 */
export function readPolicyTexts({ file, folders }: PolicyPlaces): PolicyText[] {
  const paths = [...(file === undefined ? [] : [file]), ...folders.flatMap(filesIn)];
  return paths.map((path) => ({ file: path, text: readFileSync(path, "utf8") }));
}

/** Names that start with a period don't count, nor do folders. */
function filesIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => !entry.name.startsWith(".") && !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((name) => join(folder, name));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
