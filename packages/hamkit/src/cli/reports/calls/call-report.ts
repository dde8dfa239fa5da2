/** The output of `hamkit call`: a card or a table, or JSON. */
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../../query-result.js";
import { openDatabase, type CallsignDatabase } from "../../databases/callsign-database.js";
import { dataText } from "../data-text.js";
import { latitudeText, longitudeText, positionText } from "../places/geo-text.js";
import { identifyCalls, type KnownCall } from "../../databases/identify-calls.js";
import { momentText } from "../../input/moment.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import type { Report, Session } from "../../session.js";
import type { Ink } from "../../terminal/terminal.js";
import { layOutCard, layOutTable, type Column, type TableRow } from "../../terminal/text-table.js";

export interface CallOptions extends LookupOptions {
  readonly json?: boolean;
  readonly explain?: boolean;
}

/** Identifies callsigns. */
export async function reportCalls(
  inputs: readonly string[],
  options: CallOptions,
  session: Session,
): Promise<Report> {
  const at = options.at ?? session.io.now();
  const database = await openDatabase(options, session);
  const calls = await identifyCalls(inputs, { database, at });

  const { name, date = null } = database;
  return {
    document: { at, data: { name, date }, calls },
    lines: () => callLines(calls, footerOf(database, options), session),
    errors: errorLines(calls, "callsigns"),
    exitCode: worstExitCode(calls),
  };
}

/** The line that names the data and the moment. */
export function footerOf(database: CallsignDatabase, { at }: CallOptions): string {
  return at === undefined ? dataText(database) : `${dataText(database)}; as of ${momentText(at)}`;
}

/** Identified callsigns as a card or a table. */
export function callLines(
  calls: readonly QueryResult<KnownCall>[],
  footer: string,
  { ink, io }: Session,
): string[] {
  const [first] = calls;
  if (first === undefined) return [];
  if (calls.length === 1) {
    return isFailure(first) ? [] : [...layOutCard(first.call, cardOf(first), ink), "", ink("dim", footer)];
  }
  const { lines, omitted } = layOutTable(calls.map(rowOf), COLUMNS, { ink, width: io.stdout.columns });
  return [...lines, "", ...omittedNote(omitted, ink), ink("dim", footer)];
}

/** The row of a callsign in the table. */
export function rowOf(call: QueryResult<KnownCall>): TableRow<KnownCall> {
  return isFailure(call) ? { first: call.input, remark: remarkOf(call) } : { row: call };
}

/** The line below a table that names the columns that did not fit. */
export function omittedNote(omitted: readonly string[], ink: Ink): string[] {
  return omitted.length > 0 ? [ink("dim", `Columns omitted: ${omitted.join(", ")}`)] : [];
}

function remarkOf({ error }: { readonly error: { readonly code: string } }): string {
  return error.code === "lookup/invalid-operation" ? "does not count for DXCC" : "unknown callsign";
}

/** The columns of the table. Usual widths are those of most callsigns. */
export const COLUMNS: readonly Column<KnownCall>[] = [
  { title: "Call", cell: ({ call }) => call, usualWidth: 10 },
  { title: "Home call", cell: ({ homeCall }) => homeCall ?? "", dispensable: 3, usualWidth: 9 },
  { title: "Country", cell: ({ country }) => country ?? "", usualWidth: 24 },
  { title: "ADIF", cell: ({ adif }) => String(adif ?? ""), align: "right" },
  { title: "Cont", cell: ({ continent }) => continent ?? "" },
  { title: "CQ", cell: ({ cqz }) => zoneText(cqz), align: "right" },
  { title: "ITU", cell: ({ ituz }) => zoneText(ituz), align: "right" },
  {
    title: "Latitude",
    cell: ({ latitude }) => (latitude === null ? "" : latitudeText(latitude, 2)),
    align: "right",
    dispensable: 1,
    usualWidth: 8,
  },
  {
    title: "Longitude",
    cell: ({ longitude }) => (longitude === null ? "" : longitudeText(longitude, 2)),
    align: "right",
    dispensable: 2,
    usualWidth: 9,
  },
  { title: "Locator", cell: ({ locator }) => locator ?? "" },
  { title: "Matched", cell: tableMatchText, dispensable: 5, usualWidth: 13 },
  { title: "Beacon", cell: ({ beacon }) => (beacon ? "yes" : ""), dispensable: 4 },
];

function cardOf(known: KnownCall): (readonly [label: string, value: string])[] {
  const { homeCall, country, adif, continent, cqz, ituz, latitude, longitude, locator, details } = known;
  const position = latitude === null || longitude === null ? "" : positionText({ latitude, longitude }, 2);
  const entries: [string, string][] = [
    ["Home call", homeCall ?? ""],
    ["Country", country ?? ""],
    ["ADIF code", String(adif ?? "")],
    ["Continent", CONTINENT_NAMES[continent ?? ""] ?? ""],
    ["CQ zone", zoneText(cqz)],
    ["ITU zone", zoneText(ituz)],
    ["Position", position],
    ["Locator", locator ?? ""],
    ["Matched", matchText(known)],
    ["Beacon", known.beacon ? "yes" : "no"],
  ];
  if (known.assumed)
    entries.push(["Assumed", `yes: ${known.match} is listed, and may be elsewhere with its suffix`]);
  if (known.needsEntry) entries.push(["Listed", "no: only operations that the DXCC desk lists count"]);
  return [
    ...entries.map(([label, value]): [string, string] => [label, value === "" ? "none" : value]),
    ...Object.entries(details ?? {}).map(([key, value]): [string, string] => [key, detailText(value)]),
  ];
}

function tableMatchText({ matchedBy, match, assumed }: KnownCall): string {
  return matchedBy === "service" ? "" : `${matchedBy} ${match}${assumed ? ", assumed" : ""}`;
}

function matchText({ matchedBy, match, source }: KnownCall): string {
  if (matchedBy === "service") return `by the ${source}`;
  return `${matchedBy === "callsign" ? "the whole callsign" : matchedBy} ${match}`;
}

function detailText(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00.000Z$/, "");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

const CONTINENT_NAMES: Readonly<Record<string, string>> = {
  AF: "AF, Africa",
  AN: "AN, Antarctica",
  AS: "AS, Asia",
  EU: "EU, Europe",
  NA: "NA, North America",
  OC: "OC, Oceania",
  SA: "SA, South America",
};

/** Stations at sea and in the air have the zone 0, which means none. */
function zoneText(zone: number | null): string {
  return zone === null || zone === 0 ? "" : String(zone);
}
