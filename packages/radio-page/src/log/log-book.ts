/** The logs that are open: kept on the device, filtered and sorted together. Runs in the worker of the logs. */
import { listBands } from "hamkit/frequency";
import { fieldValue, writeLog, type Log, type Qso } from "hamkit/logs";
import { placeLog } from "hamkit/map";

import { countryTable } from "../worker/country-table.js";
import { columnText, rowOf } from "./log-row.js";
import { deleteStoredLog, readStoredLogs, storageProblem, storeLog } from "./log-store.js";
import {
  NEWEST_FIRST,
  NO_FILTER,
  type Count,
  type LogFilter,
  type LogOverview,
  type LogRow,
  type LogSort,
  type ShownLog,
  type ShownPlaces,
} from "./log-types.js";
import { readContacts, type Contact, type OpenLog } from "./read-contacts.js";

/** More than there are entities: only a damaged log has more different values. */
const MAX_COUNTS = 400;
/** More than a map can show. */
const MAX_PATHS = 20_000;

let logs: readonly OpenLog[] = [];
let all: { readonly logs: readonly OpenLog[]; readonly qsos: readonly Qso[] } | undefined;
let filter: LogFilter = NO_FILTER;
let sort: LogSort = NEWEST_FIRST;
let shown: readonly Contact[] = [];

/** Opens the logs that this device has kept. */
export async function openStoredLogs(): Promise<LogOverview> {
  let problem: string | undefined;
  try {
    for (const stored of await readStoredLogs()) logs = [...without(stored.id), await readContacts(stored)];
  } catch (error) {
    problem = `The logs of this device could not be opened: ${error instanceof Error ? error.message : String(error)}`;
  }
  return overviewOf(problem);
}

/**
 * Opens a log, and keeps it on the device.
 *
 * @param locator The own one, for logs that don't have it.
 * @throws The file is no log.
 */
export async function openLog(
  content: ArrayBuffer,
  name: string,
  locator: string | undefined,
): Promise<LogOverview> {
  const opened = Date.now();
  const file = { id: `${opened}-${logs.length}`, name, content, locator, opened };
  const log = await readContacts(file);
  // The same file again is a newer version of it.
  const before = logs.filter((each) => each.name === name);
  logs = [...logs.filter((each) => each.name !== name), log];
  try {
    await storeLog(file);
    for (const { id } of before) await deleteStoredLog(id);
    return overviewOf();
  } catch (error) {
    return overviewOf(storageProblem(error));
  }
}

/** Closes a log, and deletes it from the device. */
export async function closeLog(id: string): Promise<LogOverview> {
  logs = without(id);
  try {
    await deleteStoredLog(id);
    return overviewOf();
  } catch {
    return overviewOf(); // where nothing can be stored there is nothing to delete
  }
}

/** Shows a part of the logs. */
export function filterLogs(wanted: LogFilter): ShownLog {
  filter = wanted;
  shown = inOrder(logs.flatMap(({ contacts }) => contacts).filter(matcherOf(filter)), sort);
  const values = (name: string) => shown.map(({ qso }) => fieldValue(qso, name) ?? "");
  return {
    qsos: shown.length,
    entities: byNumber(counted(values("COUNTRY"))),
    cqZones: counted(values("CQZ")).sort((a, b) => Number(a.name) - Number(b.name)),
    bands: byBand(counted(shown.map(({ band }) => band))),
  };
}

/** Changes the order of the rows. */
export function sortLogs(wanted: LogSort): void {
  sort = wanted;
  shown = inOrder(shown, sort);
}

/** What the map has of the shown part. */
export async function placesShown(): Promise<ShownPlaces> {
  const table = await countryTable();
  const parts = await Promise.all(
    logs.map(({ id, locator }) =>
      placeLog({ qsos: qsosShown(id) }, locator === undefined ? { table } : { table, locator }),
    ),
  );
  return {
    squares: parts.flatMap(({ squares }) => squares),
    entities: merged(parts.flatMap(({ entities }) => entities)),
    paths: parts.flatMap(({ paths }) => paths).slice(0, MAX_PATHS),
  };
}

/** The rows of the table from an index to another, which is not included. */
export function readRows(from: number, to: number): LogRow[] {
  return shown.slice(from, to).map(rowOf);
}

/** The shown part as a file, in the order of the logs. */
export function writeShown(format: "adi" | "csv"): Uint8Array {
  const [first, ...others] = logs;
  if (first === undefined) throw new Error("no log is open");
  const isWhole = shown.length === first.contacts.length && others.length === 0;
  if (isWhole) return writeLog(first.log, { format });
  const qsos = logs.flatMap(({ id }) => qsosShown(id));
  const log: Log = others.length === 0 ? first.log : { ...first.log, header: { text: "", fields: [] } };
  return writeLog({ ...log, qsos }, { format });
}

/** The QSOs of all logs; another list only for other logs. */
export function openQsos(): readonly Qso[] {
  if (all?.logs !== logs) all = { logs, qsos: logs.flatMap(({ log }) => log.qsos) };
  return all.qsos;
}

/** The contacts that are shown, for counting awards. */
export function contactsShown(): readonly Contact[] {
  return shown;
}

/** The QSOs of a log that are shown, in its order. */
function qsosShown(id: string): Qso[] {
  const qsos = shown.flatMap(({ log, qso }) => (log === id ? [qso] : []));
  return qsos.sort((a, b) => a.line - b.line);
}

function without(id: string): readonly OpenLog[] {
  return logs.filter((log) => log.id !== id);
}

function overviewOf(problem?: string): LogOverview {
  const contacts = logs.flatMap((log) => log.contacts);
  const several = logs.length > 1;
  return {
    logs: logs.map(({ id, name, contacts: { length } }) => ({ id, name, qsos: length })),
    qsos: contacts.length,
    bands: byBand(counted(contacts.map(({ band }) => band))),
    modes: byNumber(counted(contacts.map(({ mode }) => mode))),
    unread: logs.flatMap(({ name, unread }) =>
      unread.map(({ line, message }) => ({ line, message: several ? `${name}: ${message}` : message })),
    ),
    unreadCount: logs.reduce((sum, { unreadCount }) => sum + unreadCount, 0),
    problem,
  };
}

/** Whether a contact is to be shown. */
function matcherOf({ logs: ids, bands, modes, text, from, until, confirmation }: LogFilter) {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (contact: Contact): boolean => {
    const { log, band, mode, time, confirmed } = contact;
    if (!isIn(ids, log) || !isIn(bands, band) || !isIn(modes, mode)) return false;
    const day = time.slice(0, 10);
    if ((from !== "" && day < from) || (until !== "" && day > until)) return false;
    if (!isConfirmedAs(confirmed, confirmation)) return false;
    if (words.length === 0) return true;
    const searched = searchedText(contact);
    return words.every((word) => searched.includes(word));
  };
}

function isIn(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function isConfirmedAs(confirmed: readonly string[], wanted: LogFilter["confirmation"]): boolean {
  if (wanted === "any") return true;
  if (wanted === "unconfirmed") return confirmed.length === 0;
  return wanted === "confirmed"
    ? confirmed.length > 0
    : confirmed.some((each) => each.toLowerCase() === wanted);
}

function searchedText({ qso, time, band, mode }: Contact): string {
  const values = SEARCHED.map((name) => fieldValue(qso, name) ?? "");
  return [time, band, mode, ...values].join(" ").toLowerCase();
}

const SEARCHED = [
  "CALL",
  "COUNTRY",
  "GRIDSQUARE",
  "NAME",
  "QTH",
  "STATE",
  "COMMENT",
  "NOTES",
  "IOTA",
  "SIG_INFO",
];

const NUMBERS: ReadonlySet<keyof LogRow> = new Set(["cqz", "ituz", "distanceKm", "heading"]);

/** Empty values come last, in either direction. */
function inOrder(contacts: readonly Contact[], { column, isDescending }: LogSort): readonly Contact[] {
  if (column === "line" || column === "coordinates") return contacts;
  const bands = bandOrder();
  const keys = contacts.map((contact): string | number => {
    const text = columnText(contact, column);
    if (text === "") return "";
    return column === "band" ? bands.indexOf(text) : NUMBERS.has(column) ? Number.parseFloat(text) : text;
  });
  const direction = isDescending ? -1 : 1;
  const order = contacts.map((_, index) => index);
  order.sort((a, b) => {
    const [one = "", other = ""] = [keys[a], keys[b]];
    if (one === other) return a - b;
    if (one === "" || other === "") return one === "" ? 1 : -1;
    return (one < other ? -1 : 1) * direction;
  });
  return order.flatMap((index) => contacts[index] ?? []);
}

/** An entity of several logs is confirmed by one of them. */
function merged(entities: ShownPlaces["entities"]): ShownPlaces["entities"] {
  const known = new Map<number, ShownPlaces["entities"][number]>();
  for (const entity of entities)
    if (known.get(entity.adif)?.confirmed !== true) known.set(entity.adif, entity);
  return Array.from(known.values());
}

/** How often each value occurs; "" is none. */
function counted(values: readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([name, qsos]) => ({ name, qsos }));
}

function byNumber(counts: readonly Count[]): Count[] {
  return counts.toSorted((a, b) => b.qsos - a.qsos || (a.name < b.name ? -1 : 1)).slice(0, MAX_COUNTS);
}

function byBand(counts: readonly Count[]): Count[] {
  const order = bandOrder();
  return counts.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).slice(0, MAX_COUNTS);
}

/** The bands of all logs in ascending order of frequency. */
export function bandOrder(): readonly string[] {
  const [first, ...others] = logs.map((log) => log.bandOrder);
  if (others.length === 0) return first ?? [];
  const known = listBands().map(({ adif }) => adif);
  const place = (band: string) => (known.includes(band) ? known.indexOf(band) : known.length);
  return Array.from(new Set(logs.flatMap((log) => log.bandOrder))).sort((a, b) => place(a) - place(b));
}
