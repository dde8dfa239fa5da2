/** Counts the QSOs of a log by entity, zone and band. */
import { ADIF_BANDS } from "../../bands/band-edges.js";
import { bandOfRecord } from "../../bands/record-band.js";
import { valueNow, type QsoEdit } from "./qso-edit.js";
import type { EntityName } from "./qso-facts.js";

/** Counts of an annotated log, by its final fields. */
export interface LogSummary {
  readonly qsos: number;
  /** QSOs whose callsign was identified. */
  readonly identified: number;
  /** Numbers of added and of replaced values. */
  readonly added: number;
  readonly replaced: number;
  /** The DXCC entities, by descending number of QSOs; 0 means none: at sea or in the air. */
  readonly entities: readonly { readonly adif: number; readonly country: string; readonly qsos: number }[];
  readonly cqZones: readonly { readonly cqz: number; readonly qsos: number }[];
  /** In ascending order of frequency; names that are not in ADIF come last. */
  readonly bands: readonly { readonly band: string; readonly qsos: number }[];
}

export interface SummaryCounter {
  count(edit: QsoEdit, isIdentified: boolean): void;
  finish(): LogSummary;
}

export function createSummary(entityName: EntityName): SummaryCounter {
  const entities = new Map<number, number>();
  const countries = new Map<number, string>();
  const zones = new Map<number, number>();
  const bands = new Map<string, number>();
  const total = { qsos: 0, identified: 0, added: 0, replaced: 0 };

  return { count, finish };

  function count(edit: QsoEdit, isIdentified: boolean): void {
    total.qsos++;
    total.added += edit.added;
    total.replaced += edit.replaced;
    if (isIdentified) total.identified++;
    const adif = wholeNumber(valueNow(edit, "DXCC"));
    if (adif !== undefined) {
      addOne(entities, adif);
      if (!countries.has(adif)) countries.set(adif, entityName(adif) ?? valueNow(edit, "COUNTRY") ?? "");
    }
    const zone = wholeNumber(valueNow(edit, "CQZ"));
    if (zone !== undefined) addOne(zones, zone);
    const band = bandOfRecord(valueNow(edit, "BAND"), valueNow(edit, "FREQ"));
    if (band !== "") addOne(bands, band);
  }

  function finish(): LogSummary {
    return {
      ...total,
      entities: [...entities]
        .map(([adif, qsos]) => ({ adif, country: countries.get(adif) ?? "", qsos }))
        .sort((a, b) => b.qsos - a.qsos || a.adif - b.adif),
      cqZones: [...zones].map(([cqz, qsos]) => ({ cqz, qsos })).sort((a, b) => a.cqz - b.cqz),
      bands: [...bands]
        .map(([band, qsos]) => ({ band, qsos }))
        .sort((a, b) => bandRank(a.band) - bandRank(b.band) || (a.band < b.band ? -1 : 1)),
    };
  }
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

function bandRank(band: string): number {
  const rank = ADIF_BANDS.findIndex(({ adif }) => adif === band);
  return rank < 0 ? ADIF_BANDS.length : rank;
}
