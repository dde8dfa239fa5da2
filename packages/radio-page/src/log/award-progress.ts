/** Counts the awards of the shown contacts, and what is missing on each band. Runs in the worker of the logs; loaded on demand. */
import { AWARD_RULES, createAwardCounter, type AwardCounter, type AwardUnit } from "hamkit/awards";
import type { TableSource } from "hamkit/lookup";

import { countryTable } from "../worker/country-table.js";
import type { AwardProgress, AwardRow, MissingUnits } from "./log-types.js";
import type { Contact } from "./read-contacts.js";

/** From here, so that the rules of awards are in one file that is loaded on demand. */
export { needsOfLog } from "../needed/log-needs.js";

interface Counted {
  readonly contacts: readonly Contact[];
  readonly counter: AwardCounter;
}

/** Of the contacts that were counted last: what is missing is asked for next. */
let last: Counted | undefined;

/** The awards for which at least one contact counts. Those of activators are left out: their units are the own places. */
export async function awardsOf(
  contacts: readonly Contact[],
  bands: readonly string[],
): Promise<AwardProgress[]> {
  const { counter } = (last = await counted(contacts));
  const keys = Object.entries(counter.counts());
  return AWARD_RULES.filter(({ own }) => own !== true).flatMap(({ id, name }) => {
    const own = keys.filter(([key, { worked }]) => worked > 0 && (key === id || key.startsWith(`${id}.`)));
    const [main] = own.find(([key]) => !key.includes(".band.")) ?? [];
    if (main === undefined) return [];
    // An award of single bands, such as VUCC, has a count of its own for each.
    const rows = BANDS_ONLY.has(id)
      ? own.map(([key]) => rowOf(counter, key, key.slice(id.length + 1)))
      : [
          rowOf(counter, main, "All bands"),
          ...bands.map((band) => rowOf(counter, main, band, band)).filter(({ worked }) => worked > 0),
        ];
    return [{ id, name, rows }];
  });
}

const BANDS_ONLY: ReadonlySet<string> = new Set(["vucc"]);

function rowOf(counter: AwardCounter, key: string, label: string, band?: string): AwardRow {
  const filter = band === undefined ? {} : { band };
  const { worked, confirmed } = counter.count(key, filter);
  return { label, key, band, worked, confirmed, missing: counter.needed(key, filter).unworked?.length };
}

/** The units that a row lacks, by name. */
export async function missingOf(
  contacts: readonly Contact[],
  { key, band }: AwardRow,
): Promise<MissingUnits> {
  if (last?.contacts !== contacts) last = await counted(contacts);
  const { unworked = [], unconfirmed } = last.counter.needed(key, band === undefined ? {} : { band });
  const table = await countryTable();
  const isEntity = AWARD_RULES.find(({ id }) => key === id || key.startsWith(`${id}.`))?.unit === "entity";
  const names = (units: readonly AwardUnit[]) =>
    isEntity
      ? units.map((unit) => entityText(unit, table)).sort((a, b) => (a < b ? -1 : 1))
      : units.map(String);
  return { unworked: names(unworked), unconfirmed: names(unconfirmed) };
}

/** `Japan (JA)` */
function entityText(unit: AwardUnit, table: TableSource): string {
  const entity = table.entity(Number(unit));
  return entity === undefined ? String(unit) : `${entity.country} (${entity.prefix})`;
}

async function counted(contacts: readonly Contact[]): Promise<Counted> {
  const counter = createAwardCounter({ table: await countryTable() });
  for (const { qso } of contacts)
    counter.add(Object.fromEntries(qso.fields.map(({ name, value }) => [name, value.trim()])));
  return { contacts, counter };
}
