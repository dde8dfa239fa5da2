/** `hamkit awards`: counts the awards of a log. */
import type { Command } from "commander";

import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import type { CountFilter, OwnStation } from "../../../awards.js";
import { ADIF_BANDS } from "../../../bands/band-edges.js";
import { ANY_LOG } from "../../../logs/read-log.js";
import { openTable } from "../../databases/callsign-database.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { chooseAwards, countLog } from "../../input/award-log.js";
import { damageLines } from "./adif-command.js";
import { awardLines } from "./awards-text.js";

const EXAMPLES = [
  { line: "hamkit awards mylog.adi", shows: "all awards that the log has contacts for" },
  { line: "hamkit awards mylog.adi --award dxcc,was --band", shows: "two awards, band by band" },
  { line: "hamkit awards mylog.adi --award was --needed", shows: "states not worked, and not confirmed" },
  { line: "hamkit awards mylog.adi --award dxcc --needed --on 6m", shows: "entities not worked on 6 m" },
  { line: "hamkit awards mylog.adi --within JO62,200", shows: "contacts made within 200 km of JO62" },
  { line: "hamkit awards mylog.adi --rules myaward.json", shows: "an award of your own, too" },
];

export function defineAwardsCommand(command: Command, session: Session): void {
  addDataOptions(command)
    .description(
      "Counts DXCC, WAS, WAZ, WAC, WPX, VUCC, FFMA, IOTA, WAE, ITU zones, USA-CA, POTA, SOTA and WWFF in a log (in ADIF piece " +
        "by piece), and lists its contradictions. The rules were written from public texts: --award shows what of " +
        "them was not checked with the sponsor.",
    )
    .argument("<log>", "the log, in ADIF, Cabrillo, EDI or FLE")
    .option("--award <ids>", "only these awards, such as dxcc,was or pota", listed)
    .option("--needed", "list what was not worked, and what was worked, but not confirmed")
    .option("--on <bands>", "with --needed: on these bands, such as 160m,6m", listed)
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
  readonly on?: readonly string[];
  readonly band?: boolean;
  readonly mode?: boolean;
  readonly contradictions?: boolean;
  readonly station?: readonly string[];
  readonly entity?: string;
  readonly within?: string;
  readonly rules?: string;
  readonly json?: boolean;
}

/**
 * Counts the awards of a log.
 *
 * @throws {IOError} A file can't be read.
 * @throws {AwardRuleError} The file of `--rules` has no rules.
 * @throws {UsageError} An award or an own station is not one.
 */
async function reportAwards(input: string, options: AwardsOptions, session: Session): Promise<Report> {
  const rules = await chooseAwards(options.award, options.rules);
  const own = ownStation(options);
  requireBands(options);
  const table = await openTable(options, session);
  const { counter, findings } = await countLog(input, { rules, table, own });
  const counts = counter.counts();
  const { needed: wantsNeeded = false, on: bands = [] } = options;
  const neededOn = (filter: CountFilter) =>
    Object.fromEntries(Object.keys(counts).map((key) => [key, counter.needed(key, filter)]));
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
      ...(wantsNeeded && { needed: neededOn({}) }),
      ...(bands.length > 0 && {
        neededOn: Object.fromEntries(bands.map((band) => [band, neededOn({ band })])),
      }),
      contradictions: counter.contradictions(),
    },
    errors: [
      ...damageLines(findings),
      ...(contacts === 0 ? [`${input}: no contacts; expected ${ANY_LOG}`] : []),
    ],
    lines: () => awardLines({ input, counter, rules, table, options }, session),
    exitCode: contacts === 0 ? EXIT.notFound : EXIT.success,
  };
}

function requireBands({ on: bands = [], needed = false }: AwardsOptions): void {
  if (bands.length > 0 && !needed) throw new UsageError("--on needs --needed");
  const unknown = bands.find((band) => ADIF_BANDS.every(({ adif }) => adif !== band));
  if (unknown !== undefined) throw new UsageError(`--on: ${unknown} is not a band of ADIF, such as 20m`);
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
