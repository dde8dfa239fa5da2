/** `hamkit awards`: counts the awards of a log. */
import type { Command } from "commander";

import { addDataOptions } from "../../databases/lookup-options.js";
import type { AwardsOptions } from "../../reports/logs/awards-report.js";
import type { Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";

const EXAMPLES = [
  { line: "hamkit awards mylog.adi", shows: "all awards that the log has contacts for" },
  { line: "hamkit awards mylog.adi --award dxcc,was --band", shows: "two awards, band by band" },
  { line: "hamkit awards mylog.adi --award was --needed", shows: "states not worked, and not confirmed" },
  { line: "hamkit awards mylog.adi --within JO62,200", shows: "contacts made within 200 km of JO62" },
  { line: "hamkit awards mylog.adi --rules myaward.json", shows: "an award of your own, too" },
];

export function addAwardsCommand(program: Command, session: Session): void {
  addDataOptions(program.command("awards"))
    .summary("awards of a log: worked, confirmed and needed")
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
      const { reportAwards } = await import("../../reports/logs/awards-report.js");
      session.present(await reportAwards(log, options, session), options);
    });
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
