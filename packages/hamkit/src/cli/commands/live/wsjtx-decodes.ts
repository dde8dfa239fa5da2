/**
 * Looks up the senders of decodes, with what the program's status tells (band, mode, own locator) and what was worked: by a log, and
 * by the contacts that are logged while the command runs.
 */
import { distanceKm, headingDegrees } from "../../../geo/great-circle.js";
import { locatorToPosition } from "../../../geo/locator.js";
import type { Position } from "../../../geo/position.js";
import { bandOfRecord } from "../../../bands/record-band.js";
import { findBand } from "../../../frequency.js";
import { identify, type CallsignRecord, type TableSource } from "../../../lookup.js";
import {
  parseMessage,
  type Datagram,
  type Decode,
  type ParsedMessage,
  type Status,
  type WsprDecode,
} from "../../../wsjtx.js";
import { readBytes } from "../../../io/file.js";
import { fieldValue, readLog, type Qso } from "../../../logs.js";

/** A decode with its meaning and its sender. */
export interface HeardStation {
  readonly decode: Decode | WsprDecode;
  /** The text; of a WSPR beacon its parts. */
  readonly text: string;
  readonly parsed: ParsedMessage;
  /** The sender's call, if the message has exactly one. */
  readonly call?: string | undefined;
  /** The sender's locator, of this message or of one before. */
  readonly grid?: string | undefined;
  /** The program's last status. */
  readonly status?: Status | undefined;
  /** ADIF's name of the band; absent before the first status of the program. */
  readonly band?: string | undefined;
  /** The sender's record; absent if its call is unknown. */
  readonly record?: CallsignRecord | undefined;
  /** From the own locator to the sender's, or to its country; absent if either is unknown. */
  readonly distanceKm?: number | undefined;
  readonly heading?: number | undefined;
  /** Absent without a log. */
  readonly newOnes?: readonly NewOne[] | undefined;
}

export interface DecodeLookup {
  /** Takes note of a status or a logged contact. */
  observe(datagram: Datagram): void;
  lookUp(decode: Decode | WsprDecode, at: Date): HeardStation;
}

interface DecodeLookupOptions {
  readonly table: TableSource;
  readonly from: string | undefined;
  readonly worked: WorkedStations | undefined;
}

/** Locators of stations that are remembered: most messages have none. */
const MAX_LOCATORS = 10_000;

/** Instances whose status is remembered: anyone can send ids. */
const MAX_INSTANCES = 100;

export function createDecodeLookup({ table, from, worked }: DecodeLookupOptions): DecodeLookup {
  const statuses = new Map<string | null, Status>();
  const locators = new Map<string, string>();
  return {
    observe(datagram) {
      if (datagram.kind === "status") remember(statuses, datagram.id, datagram, MAX_INSTANCES);
      if (datagram.kind !== "qsoLogged" || !datagram.dxCall) return;
      const call = datagram.dxCall.toUpperCase();
      worked?.add({ call, adif: entityAt(call, table), band: bandAt(datagram.txFrequencyHz) });
    },
    lookUp(decode, at) {
      const status = statuses.get(decode.id);
      const text = textOf(decode);
      const mode = decode.kind === "wsprDecode" ? "WSPR" : status?.mode;
      const parsed = parseMessage(text, mode ? { mode } : {});
      const call = "de" in parsed && parsed.ambiguous !== true ? parsed.de : undefined;
      const grid = "grid" in parsed ? parsed.grid : undefined;
      if (call !== undefined && grid !== undefined) remember(locators, call, grid, MAX_LOCATORS);
      const frequency = decode.kind === "wsprDecode" ? decode.frequencyHz : status?.dialFrequencyHz;
      const band = frequency === undefined ? undefined : bandAt(frequency);
      if (call === undefined) return { decode, text, parsed, status, band };

      const found = identify(call, { table, at });
      const record = found.kind === "identified" ? found.record : undefined;
      const adif = record !== undefined && record.adif > 0 ? record.adif : undefined;
      const home = centerOf(from ?? status?.deGrid);
      const known = grid ?? locators.get(call);
      const place = centerOf(known) ?? landOf(record);
      return {
        decode,
        text,
        parsed,
        call,
        grid: known,
        status,
        band,
        record,
        ...(home === undefined || place === undefined
          ? undefined
          : { distanceKm: distanceKm(home, place), heading: headingDegrees(home, place) }),
        newOnes: worked?.newOnes({ call, adif, band }),
      };
    },
  };
}

function textOf(decode: Decode | WsprDecode): string {
  if (decode.kind === "decode") return decode.message ?? "";
  return [decode.callsign, decode.grid, decode.powerDbm]
    .filter((part) => part !== null && part !== "")
    .join(" ");
}

function bandAt(frequencyHz: number): string | undefined {
  return findBand(frequencyHz / 1000)?.adif;
}

/** The place of a record; stations at sea and in the air have none. */
function landOf(record: CallsignRecord | undefined): Position | undefined {
  return record === undefined || record.continent === "" ? undefined : record;
}

/** The center of a locator of anyone; `undefined` for text that is none. */
function centerOf(locator: string | null | undefined): Position | undefined {
  const isLocator = /^[A-R]{2}\d\d(?:[A-X]{2}(?:\d\d)?)?$/i.test(locator ?? "");
  return isLocator ? locatorToPosition(locator ?? "", "locator", "center") : undefined;
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

/** What a station would be: a new DXCC entity, an entity that is new on this band, a new call on it. */
export type NewOne = "entity" | "band" | "call";

/** A station to compare, or to add. */
interface Contact {
  readonly call: string;
  /** DXCC entity code; absent for a call without one. */
  readonly adif?: number | undefined;
  /** ADIF's name of the band, such as `20m`; absent if it is unknown. */
  readonly band?: string | undefined;
}

interface WorkedStations {
  /** From the rarest to the most common; empty for a station that was worked on the band. */
  newOnes(contact: Contact): readonly NewOne[];
  add(contact: Contact): void;
}

function createWorkedStations(): WorkedStations {
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
function entityAt(call: string, table: TableSource, at = new Date()): number | undefined {
  const found = identify(call, { table, at });
  return found.kind === "identified" && found.record.adif > 0 ? found.record.adif : undefined;
}

function entityOf(qso: Qso): number | undefined {
  const code = fieldValue(qso, "DXCC") ?? "";
  return /^[1-9]\d{0,2}$/.test(code) ? Number(code) : undefined;
}

function bandOf(qso: Qso): string | undefined {
  return bandOfRecord(fieldValue(qso, "BAND"), fieldValue(qso, "FREQ")) || undefined;
}

function dayOf(qso: Qso): Date | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(fieldValue(qso, "QSO_DATE") ?? "") ?? [];
  const date = new Date(`${year}-${month}-${day}T12:00:00Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
