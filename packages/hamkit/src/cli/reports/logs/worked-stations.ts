/** What was worked: by a log, and by the contacts that are logged while a command runs. */
import { findBand } from "../../../frequency.js";
import { readBytes } from "../../../io/file.js";
import { identify, type TableSource } from "../../../lookup.js";
import { fieldValue, readLog, type Qso } from "../../../logs.js";

/** What a station would be: a new DXCC entity, an entity that is new on this band, a new call on it. */
export type NewOne = "entity" | "band" | "call";

/** A station to compare, or to add. */
export interface Contact {
  readonly call: string;
  /** DXCC entity code; absent for a call without one. */
  readonly adif?: number | undefined;
  /** ADIF's name of the band, such as `20m`; absent if it is unknown. */
  readonly band?: string | undefined;
}

export interface WorkedStations {
  /** From the rarest to the most common; empty for a station that was worked on the band. */
  newOnes(contact: Contact): readonly NewOne[];
  add(contact: Contact): void;
}

export function createWorkedStations(): WorkedStations {
  const entities = new Set<number>();
  const entityBands = new Set<string>();
  const calls = new Set<string>();
  return {
    newOnes(contact) {
      const { adif, band } = contact;
      return [
        ...(adif !== undefined && !entities.has(adif) ? (["entity"] as const) : []),
        ...(adif !== undefined && band !== undefined && !entityBands.has(entityBand(contact))
          ? (["band"] as const)
          : []),
        ...(calls.has(callBand(contact)) ? [] : (["call"] as const)),
      ];
    },
    add(contact) {
      calls.add(callBand(contact));
      if (contact.adif === undefined) return;
      entities.add(contact.adif);
      entityBands.add(entityBand(contact));
    },
  };
}

function entityBand({ adif, band }: Contact): string {
  return `${adif} ${band}`;
}

function callBand({ call, band }: Contact): string {
  return `${call} ${band}`;
}

/**
 * The stations of a log. The entity is that of the log, or of the country data.
 *
 * @throws {IOError} The file can't be read.
 * @throws {LogError} It is not a log.
 */
export async function readWorkedStations(path: string, table: TableSource): Promise<WorkedStations> {
  const { qsos } = await readLog(await readBytes(path), { name: path });
  const worked = createWorkedStations();
  for (const qso of qsos) {
    const call = fieldValue(qso, "CALL")?.toUpperCase();
    if (call === undefined) continue;
    worked.add({ call, adif: entityOf(qso) ?? entityAt(call, table, dayOf(qso)), band: bandOf(qso) });
  }
  return worked;
}

/** The entity of a call at a moment; 0 and less are placeholders of stations at sea and in the air. */
export function entityAt(call: string, table: TableSource, at = new Date()): number | undefined {
  const found = identify(call, { table, at });
  return found.kind === "identified" && found.record.adif > 0 ? found.record.adif : undefined;
}

function entityOf(qso: Qso): number | undefined {
  const code = fieldValue(qso, "DXCC") ?? "";
  return /^[1-9]\d{0,2}$/.test(code) ? Number(code) : undefined;
}

function bandOf(qso: Qso): string | undefined {
  const band = fieldValue(qso, "BAND")?.toLowerCase();
  if (band !== undefined) return band;
  return findBand(Number(fieldValue(qso, "FREQ")) * 1000)?.adif;
}

function dayOf(qso: Qso): Date | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(fieldValue(qso, "QSO_DATE") ?? "") ?? [];
  const date = new Date(`${year}-${month}-${day}T12:00:00Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
