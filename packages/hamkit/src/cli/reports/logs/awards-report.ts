/** Implements `hamkit awards`. */
import { readAdif } from "../../../adif/parse-adif.js";
import {
  AWARD_RULES,
  checkAwardRules,
  createAwardCounter,
  type AwardRule,
  type OwnStation,
} from "../../../awards.js";
import { readBytes } from "../../../io/file.js";
import { AwardRuleError } from "../../../errors.js";
import { openTable } from "../../databases/callsign-database.js";
import type { DataOptions } from "../../databases/lookup-options.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { piecesOf } from "../../input/log-files.js";
import { zonesAt } from "../../../zones.js";
import type { Report, Session } from "../../session.js";
import { awardLines } from "./awards-text.js";

export interface AwardsOptions extends DataOptions {
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

/**
 * Counts the awards of a log.
 *
 * @throws {IOError} A file can't be read.
 * @throws {AwardRuleError} The file of `--rules` has no rules.
 * @throws {UsageError} An award or an own station is not one.
 */
export async function reportAwards(input: string, options: AwardsOptions, session: Session): Promise<Report> {
  const rules = await rulesOf(options);
  const own = ownStation(options);
  const table = await openTable(options, session);
  const counter = createAwardCounter({ rules, table, own, zonesAt });
  for await (const { record } of readAdif(piecesOf(input))) counter.add(record);
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
    errors: contacts === 0 ? [`${input}: no contacts; expected a log in ADIF (.adi, .adx)`] : [],
    lines: () => awardLines({ input, counter, rules, table, options }, session),
    exitCode: contacts === 0 ? EXIT.notFound : EXIT.success,
  };
}

async function rulesOf({ award: wanted, rules: path }: AwardsOptions): Promise<readonly AwardRule[]> {
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
