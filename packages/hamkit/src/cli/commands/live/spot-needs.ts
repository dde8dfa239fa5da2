/** What spots would be for the awards of a log: `hamkit spots --log`. */
import type { Need, SpottedStation } from "../../../awards.js";
import type { TableSource } from "../../../lookup/source.js";
import { ANY_LOG } from "../../../logs/read-log.js";
import { UsageError } from "../../exit-code.js";
import { chooseAwards, countLog } from "../../input/award-log.js";
import type { Session } from "../../session.js";
import { damageLines } from "../logs/adif-command.js";

/** Options of commands that compare spots with a log. */
export interface NeedOptions {
  readonly log?: string;
  readonly needed?: boolean;
  readonly award?: readonly string[];
}

/** A spot's needs as data, and in few words. */
export interface SpotNeeds {
  readonly needs: readonly Need[];
  readonly text: string;
}

export type NeedReader = (spot: SpottedStation) => SpotNeeds;

/** What most operators watch; --award chooses others. */
export const USUAL_AWARDS = ["dxcc", "waz", "was", "iota", "pota.hunter", "sota.chaser", "wwff.hunter"];

/** What is shown instead of the award's id. */
const NAMES: Readonly<Record<string, string>> = {
  "pota.hunter": "POTA",
  "sota.chaser": "SOTA",
  "wwff.hunter": "WWFF",
  usaca: "USA-CA",
};

/**
 * A function for the needs of spots; `undefined` without `--log`.
 *
 * @throws {UsageError} `--needed` or `--award` without a log.
 */
export async function openNeeds(
  options: NeedOptions,
  table: TableSource,
  session: Session,
): Promise<NeedReader | undefined> {
  const { log, needed, award } = options;
  if (log === undefined) {
    if (needed === true) throw new UsageError("--needed needs --log");
    if (award !== undefined) throw new UsageError("--award needs --log");
    return undefined;
  }
  const { needs, needsText, spotContact } = await import("../../../awards.js");
  const rules = await chooseAwards(award ?? USUAL_AWARDS);
  const { counter, findings } = await countLog(log, { rules, table });
  for (const line of damageLines(findings)) session.warn(line);
  if (counter.contacts === 0) session.warn(`${log}: no contacts; expected ${ANY_LOG}`);
  return (spot) => {
    const found = needs(counter, spotContact(spot));
    return { needs: found, text: needsText(found, NAMES) };
  };
}
