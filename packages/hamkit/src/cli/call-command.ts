/** `hamkit call`: what is known of callsigns. */
import type { Command } from "commander";

import { complaintsOf, isUnanswered, worstExitCode, type Answer } from "./answer.js";
import { momentText } from "./at-option.js";
import { examplesText } from "./help-text.js";
import { readLines } from "./input-lines.js";
import { identifyCall, type KnownCall } from "./identify-call.js";
import { latitudeText, longitudeText, positionText } from "./geo-text.js";
import { addLookupOptions, lazyDatabase, type LookupOptions } from "./lookup-options.js";
import type { Report, Session } from "./session.js";
import { layOutCard, layOutTable, printable, type Column } from "./table.js";

interface CallOptions extends LookupOptions {
  readonly json?: boolean;
}

const EXAMPLES = [
  { line: "hamkit call DH1TW", tells: "one callsign: a card" },
  { line: "hamkit call HC2/DH1TW W1AW/6 9H1XYZ/MM", tells: "several: a table" },
  { line: "hamkit call OK1ABC --at 1991-06-30", tells: "by the data for a moment in the past" },
  { line: "hamkit call DH1TW --file cty.dat", tells: "by a country file of your own" },
  { line: "hamkit call - --json < calls.txt", tells: "a callsign per line, answers for programs" },
];

export function addCallCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("call"))
    .summary("country, zones and position of callsigns")
    .description("Country, zones, position and locator of callsigns, and what in the callsign told them.")
    .argument("<call...>", "callsigns; - reads them from standard input, one per line")
    .option("--json", "answer in JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: CallOptions) => {
      session.present(await answerCalls(calls, options, session), options);
    });
}

async function answerCalls(words: readonly string[], options: CallOptions, session: Session): Promise<Report> {
  const inputs = words.includes("-") ? await withStandardInput(words, session) : words;
  const at = options.at ?? session.io.now();
  const database = await lazyDatabase(options, session)();
  const calls: Answer<KnownCall>[] = [];
  for (const input of inputs) calls.push(await identifyCall(input, { database, at }));

  const { name, date = null } = database;
  const footer = `Data: ${printable(name, 200)}${date === null ? "" : ` of ${date}`}`;
  const dated = options.at === undefined ? footer : `${footer}, asked for ${momentText(options.at)}`;
  return {
    document: { at, data: { name, date }, calls },
    lines: () => textOf(calls, dated, session),
    complaints: complaintsOf(calls, "callsigns"),
    exitCode: worstExitCode(calls),
  };
}

/** The words, with the lines of standard input in place of the first "-". */
async function withStandardInput(words: readonly string[], { io }: Session): Promise<string[]> {
  const lines = await readLines(io.stdin());
  const place = words.indexOf("-");
  return words.flatMap((word, index) => (word !== "-" ? [word] : index === place ? lines : []));
}

function textOf(calls: readonly Answer<KnownCall>[], footer: string, { ink, io }: Session): string[] {
  const [only] = calls;
  if (only !== undefined && calls.length === 1) {
    return isUnanswered(only) ? [] : [...card(only, ink), "", ink("dim", footer)];
  }
  const rows = calls.map((call) => (isUnanswered(call) ? { first: call.input, remark: remarkOf(call.error) } : call));
  const { lines, leftOut } = layOutTable(rows, COLUMNS, { ink, width: io.stdout.columns });
  const note = leftOut.length > 0 ? [ink("dim", `Too narrow for: ${leftOut.join(", ")}`)] : [];
  return [...lines, "", ...note, ink("dim", footer)];
}

function remarkOf({ code }: { readonly code: string }): string {
  return code === "lookup/invalid-operation" ? "does not count for DXCC at that time" : "not known";
}

const COLUMNS: readonly Column<KnownCall>[] = [
  { title: "Call", cell: ({ call }) => call },
  { title: "Home call", cell: ({ homeCall }) => homeCall ?? "", dispensable: 3 },
  { title: "Country", cell: ({ country }) => country },
  { title: "ADIF", cell: ({ adif }) => String(adif), align: "right" },
  { title: "Cont", cell: ({ continent }) => continent },
  { title: "CQ", cell: ({ cqz }) => zoneText(cqz), align: "right" },
  { title: "ITU", cell: ({ ituz }) => zoneText(ituz), align: "right" },
  {
    title: "Latitude",
    cell: ({ latitude }) => (latitude === null ? "" : latitudeText(latitude, 2)),
    align: "right",
    dispensable: 1,
  },
  {
    title: "Longitude",
    cell: ({ longitude }) => (longitude === null ? "" : longitudeText(longitude, 2)),
    align: "right",
    dispensable: 2,
  },
  { title: "Locator", cell: ({ locator }) => locator ?? "" },
  { title: "Matched", cell: ({ matchedBy, match }) => `${matchedBy} ${match}`, dispensable: 5 },
  { title: "Beacon", cell: ({ beacon }) => (beacon ? "yes" : ""), dispensable: 4 },
];

function card(known: KnownCall, ink: Session["ink"]): string[] {
  const { call, homeCall, country, adif, continent, cqz, ituz, latitude, longitude, locator } = known;
  const position = latitude === null || longitude === null ? NONE : positionText({ latitude, longitude }, 2);
  return layOutCard(
    call,
    [
      ["Home call", homeCall ?? NONE],
      ["Country", country],
      ["ADIF code", String(adif)],
      ["Continent", CONTINENT_NAMES[continent] ?? NONE],
      ["CQ zone", zoneText(cqz) || NONE],
      ["ITU zone", zoneText(ituz) || NONE],
      ["Position", position],
      ["Locator", locator ?? NONE],
      ["Matched", `${known.matchedBy === "callsign" ? "the whole callsign" : known.matchedBy} ${known.match}`],
      ["Beacon", known.beacon ? "yes" : "no"],
    ],
    ink,
  );
}

const NONE = "none";

const CONTINENT_NAMES: Readonly<Record<string, string>> = {
  AF: "AF (Africa)",
  AN: "AN (Antarctica)",
  AS: "AS (Asia)",
  EU: "EU (Europe)",
  NA: "NA (North America)",
  OC: "OC (Oceania)",
  SA: "SA (South America)",
};

/** Stations at sea and in the air have the zone 0, which is none. */
function zoneText(zone: number | null): string {
  return zone === null || zone === 0 ? "" : String(zone);
}
