/** `hamkit awards`: counts the awards of a log. */
import type { Command } from "commander";

import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { type AdifFileFinding, readAdif } from "../../../adif/parse-adif.js";
import type { AwardRule, OwnStation } from "../../../awards.js";
import { readBytes } from "../../../io/file.js";
import { AwardRuleError } from "../../../errors.js";
import { openTable } from "../../databases/callsign-database.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { piecesOf } from "../../input/log-files.js";
import { damageLines } from "./adif-command.js";
import { awardLines } from "./awards-text.js";

const EXAMPLES = [
  { line: "hamkit awards mylog.adi", shows: "all awards that the log has contacts for" },
  { line: "hamkit awards mylog.adi --award dxcc,was --band", shows: "two awards, band by band" },
  { line: "hamkit awards mylog.adi --award was --needed", shows: "states not worked, and not confirmed" },
  { line: "hamkit awards mylog.adi --within JO62,200", shows: "contacts made within 200 km of JO62" },
  { line: "hamkit awards mylog.adi --rules myaward.json", shows: "an award of your own, too" },
];

export function defineAwardsCommand(command: Command, session: Session): void {
  addDataOptions(command)
    .description(
      "Counts DXCC, WAS, WAZ, WAC, WPX, VUCC, FFMA, IOTA, WAE, ITU zones, USA-CA, POTA, SOTA and WWFF in a log in ADIF, which is " +
        "read piece by piece, and lists its contradictions. The rules were written from public texts: --award shows what of " +
        "them was not checked with the sponsor.",
    )
    .argument("<log>", "the log, in ADIF (.adi, .adx)")
    .option("--award <ids>", "only these awards, such as dxcc,was or pota", listed)
    .option("--needed", "list what was not worked, and what was worked, but not confirmed")
    .option("--band", "also count each band")
    .option("--mode", "also count each mode")
    .option("--contradictions", "list up to 20 contradictions of each kind")
    .option("--station <calls>", "only contacts of these own calls", listed)
    .option("--entity <code>", "only contacts from this own DXCC entity")
    .option("--within <locator,km>", "only contacts from a circle around a locator")
    .option("--rules <path>", "a JSON file with rules of further awards")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (log: string, options: AwardsOptions) => {
      session.present(await reportAwards(log, options, session), options);
    });
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

interface AwardsOptions extends DataOptions {
  readonly award?: readonly string[];
  readonly needed?: boolean;
  readonly band?: boolean;
  readonly mode?: boolean;
  readonly contradictions?: boolean;
  readonly station?: readonly string[];
  readonly entity?: string;
  readonly within?: string;
  readonly rules?: string;
  readonly json?: boolean;
}

/** Findings that are kept: a broken log has millions. */
const MAX_FINDINGS = 1000;

/**
 * Counts the awards of a log.
 *
 * @throws {IOError} A file can't be read.
 * @throws {AwardRuleError} The file of `--rules` has no rules.
 * @throws {UsageError} An award or an own station is not one.
 */
async function reportAwards(input: string, options: AwardsOptions, session: Session): Promise<Report> {
  const { createAwardCounter } = await import("../../../awards.js");
  const { zonesAt } = await import("../../../zones.js");
  const rules = await rulesOf(options);
  const own = ownStation(options);
  const table = await openTable(options, session);
  const counter = createAwardCounter({ rules, table, own, zonesAt });
  const findings: AdifFileFinding[] = [];
  const onFinding = (finding: AdifFileFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  };
  for await (const { record } of readAdif(piecesOf(input), { onFinding })) counter.add(record);
  const counts = counter.counts();
  const { needed: wantsNeeded = false } = options;
  const needed = Object.fromEntries(
    wantsNeeded ? Object.keys(counts).map((key) => [key, counter.needed(key)]) : [],
  );
  const { contacts, ignored } = counter;
  return {
    document: {
      input,
      contacts,
      ignored,
      rules: rules.map(({ id, name, sponsor, checked, notes = [] }) => ({
        id,
        name,
        sponsor,
        checked,
        notes,
      })),
      counts,
      classes: counter.classes(),
      ...(wantsNeeded && { needed }),
      contradictions: counter.contradictions(),
    },
    errors: [
      ...damageLines(findings),
      ...(contacts === 0 ? [`${input}: no contacts; expected a log in ADIF (.adi, .adx)`] : []),
    ],
    lines: () => awardLines({ input, counter, rules, table, options }, session),
    exitCode: contacts === 0 ? EXIT.notFound : EXIT.success,
  };
}

async function rulesOf({ award: wanted, rules: path }: AwardsOptions): Promise<readonly AwardRule[]> {
  const { AWARD_RULES, checkAwardRules } = await import("../../../awards.js");
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
  const { checkAwardRules } = await import("../../../awards.js");
  return checkAwardRules(json);
}

function ownStation({ station, entity, within }: AwardsOptions): OwnStation | undefined {
  if (station === undefined && entity === undefined && within === undefined) return undefined;
  return {
    ...(station !== undefined && { calls: station }),
    ...(entity !== undefined && { entity: entityCode(entity) }),
    ...(within !== undefined && { within: circle(within) }),
  };
}

function entityCode(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new UsageError(`--entity: ${text} is not the code of a DXCC entity, such as 230`);
}

function circle(text: string): { locator: string; km: number } {
  const [, locator = "", km = ""] = /^\s*([A-R]{2}\d{2}(?:[A-X]{2})?)\s*,\s*(\d{1,5})\s*$/i.exec(text) ?? [];
  if (Number(km) > 0) return { locator, km: Number(km) };
  throw new UsageError(`--within: ${text} is not a locator and kilometers, such as JO62,200`);
}
