/** `hamkit call`: country, zones and position of callsigns. */
import type { Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { addLookupOptions, type LookupOptions } from "../../databases/lookup-options.js";
import { type Session, type Report, writeDiagnostic } from "../../session.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../../exit-code.js";
import { openDatabase, type CallsignDatabase } from "../../databases/callsign-database.js";
import {
  dataText,
  layOutCard,
  layOutTable,
  type Column,
  type TableRow,
  openTextTable,
} from "../../terminal/text-table.js";
import { latitudeText, longitudeText, positionText } from "../../terminal/geo-text.js";
import { identifyCalls, type KnownCall } from "../../databases/identify-calls.js";
import { momentText } from "../../input/moment.js";
import type { Ink } from "../../terminal/terminal.js";
import { jsonListWriter, streamAnswers, type ListWriter } from "./stream-answers.js";

const EXAMPLES = [
  { line: "hamkit call DH1TW", shows: "one callsign: a card" },
  { line: "hamkit call HC2/DH1TW W1AW/6 9H1XYZ/MM", shows: "several: a table" },
  { line: "hamkit call VK9XNA --at 2001-06-30", shows: "as of that date" },
  { line: "hamkit call DH1TW --file cty.dat", shows: "with your own country file" },
  { line: "hamkit call --explain 3Y0PI", shows: "why: entry, other entries, how sure" },
  { line: "hamkit call - --json < calls.txt", shows: "one callsign per line, JSON output" },
];

export function defineCallCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description(
      "Shows country, zones, position and locator of callsigns, and which part of the callsign matched.",
    )
    .argument(
      "<call...>",
      "callsigns; - reads them from standard input, one per line, and answers each as it arrives",
    )
    .option("--explain", "explain how each callsign matches; several databases with --in are compared")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: CallOptions) => {
      if (options.explain) {
        const { explainCalls } = await import("./explain-calls.js");
        await explainCalls(calls, options, session);
        return;
      }
      if (calls.includes("-")) {
        await streamCalls(calls, options, session);
        return;
      }
      session.present(await reportCalls(calls, options, session), options);
    });
}

export interface CallOptions extends LookupOptions {
  readonly json?: boolean;
  readonly explain?: boolean;
}

/** Identifies callsigns. */
async function reportCalls(
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
function rowOf(call: QueryResult<KnownCall>): TableRow<KnownCall> {
  return isFailure(call) ? { first: call.input, remark: remarkOf(call) } : { row: call };
}

/** The line below a table that names the columns that did not fit. */
function omittedNote(omitted: readonly string[], ink: Ink): string[] {
  return omitted.length > 0 ? [ink("dim", `Columns omitted: ${omitted.join(", ")}`)] : [];
}

function remarkOf({ error }: { readonly error: { readonly code: string } }): string {
  return error.code === "lookup/invalid-operation" ? "does not count for DXCC" : "unknown callsign";
}

/** The columns of the table. Usual widths are those of most callsigns. */
const COLUMNS: readonly Column<KnownCall>[] = [
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

type Call = QueryResult<KnownCall>;
type Writer = ListWriter<Call>;

/** Identifies the callsigns of the arguments and, for "-", of standard input, until it ends or standard output is closed. */
async function streamCalls(words: readonly string[], options: CallOptions, session: Session): Promise<void> {
  const { io } = session;
  const database = await openDatabase(options, session);
  const writer = options.json
    ? jsonWriter(database, options, session)
    : textWriter(database, options, session);
  let failed = 0;
  let only: Call | undefined;
  const streamed = await streamAnswers(words, session, {
    writer,
    async answer(inputs) {
      const calls = await identifyCalls(inputs, { database, at: options.at ?? io.now() });
      failed += calls.filter(isFailure).length;
      [only] = calls;
      return calls;
    },
    exitCode: worstExitCode,
  });
  if (options.json || streamed === undefined) return;
  const { count, problem } = streamed;
  if (problem !== undefined) writeDiagnostic(io, "error", problem.message);
  else if (failed > 0) writeDiagnostic(io, "error", failureText(failed, count, only));
}

function failureText(failed: number, count: number, only: Call | undefined): string {
  return count === 1 && only !== undefined && isFailure(only)
    ? only.error.message
    : `no result for ${failed} of ${count} callsigns`;
}

function textWriter(database: CallsignDatabase, options: CallOptions, { ink, io }: Session): Writer {
  const table = openTextTable(COLUMNS, { ink, width: io.stdout.columns });
  return {
    begin: () => [table.head],
    row: (call) => table.row(rowOf(call)),
    end: (count) =>
      count === 0 ? [] : ["", ...omittedNote(table.omitted, ink), ink("dim", footerOf(database, options))],
  };
}

/**
 * The document of `hamkit call`, with one callsign per line. The member `at` is the start of the run unless --at is given;
 * callsigns are answered for the moment they arrive.
 */
function jsonWriter({ name, date }: CallsignDatabase, options: CallOptions, { io }: Session): Writer {
  const at = options.at ?? io.now();
  return jsonListWriter({ at, data: { name, date: date ?? null } }, "calls");
}
