/** The awards of a log, for commands that count it and for those that compare spots with it. */
import type { AdifFileFinding } from "../../adif/parse-adif.js";
import type { AwardCounter, AwardRule, CountAwardsOptions } from "../../awards.js";
import { AwardRuleError } from "../../errors.js";
import { readBytes } from "../../io/file.js";
import { UsageError } from "../exit-code.js";
import { readRecords } from "./log-records.js";

/** A log that is counted. */
export interface CountedLog {
  readonly counter: AwardCounter;
  /** What was wrong in the file: the first thousand. */
  readonly findings: readonly AdifFileFinding[];
}

/** Findings that are kept: a broken log has millions. */
const MAX_FINDINGS = 1000;

/**
 * Counts a log, one in ADIF piece by piece.
 *
 * @throws {IOError} It can't be read.
 */
export async function countLog(path: string, options: CountAwardsOptions): Promise<CountedLog> {
  const { createAwardCounter } = await import("../../awards.js");
  const { zonesAt } = await import("../../zones.js");
  const counter = createAwardCounter({ zonesAt, ...options });
  const findings: AdifFileFinding[] = [];
  const onFinding = (finding: AdifFileFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  };
  for await (const { record } of readRecords(path, { onFinding })) counter.add(record);
  return { counter, findings };
}

/**
 * The rules of `--award`, and with those of a file: `pota` chooses `pota.hunter` and `pota.activator`.
 *
 * @throws {UsageError} An award has no rules.
 * @throws {AwardRuleError} The file has none.
 */
export async function chooseAwards(
  wanted: readonly string[] | undefined,
  path?: string,
): Promise<readonly AwardRule[]> {
  const { AWARD_RULES, checkAwardRules } = await import("../../awards.js");
  const own = path === undefined ? [] : await readRules(path);
  const all = checkAwardRules([
    ...AWARD_RULES.filter(({ id }) => own.every((rule) => rule.id !== id)),
    ...own,
  ]);
  if (wanted === undefined) return all;
  const known = all.map(({ id }) => id);
  return wanted.flatMap((name) => {
    const id = name.toLowerCase();
    const found = all.filter(
      (rule) => rule.id.toLowerCase() === id || rule.id.toLowerCase().startsWith(`${id}.`),
    );
    if (found.length > 0) return found;
    throw new UsageError(`--award: ${name} is none of ${known.join(", ")}`);
  });
}

async function readRules(path: string): Promise<readonly AwardRule[]> {
  const text = new TextDecoder().decode(await readBytes(path));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AwardRuleError(path, text, error instanceof Error ? error.message : String(error));
  }
  const { checkAwardRules } = await import("../../awards.js");
  return checkAwardRules(json);
}
