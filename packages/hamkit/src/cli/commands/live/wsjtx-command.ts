/** `hamkit wsjtx`: a live table of what WSJT-X decodes. */
import type { Command } from "commander";

import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import { integerFrom } from "../../input/integer-option.js";
import { type Session, toJson } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { locatorToPosition } from "../../../geo/locator.js";
import {
  listenWsjtx,
  type ListenWsjtxOptions,
  type ReceivedDatagram,
  type WsjtxListener,
  type QsoLogged,
  type Status,
} from "../../../wsjtx.js";
import { openTable } from "../../databases/callsign-database.js";
import { exitCodeOf, problemOf } from "../../exit-code.js";
import { dropWarning } from "./drop-warning.js";
import {
  readWorkedStations,
  type NewOne,
  createDecodeLookup,
  type DecodeLookup,
  type HeardStation,
} from "./wsjtx-decodes.js";
import { printable } from "../../terminal/text-table.js";
import { toPrintable } from "../../terminal/terminal.js";

const EXAMPLES = [
  { line: "hamkit wsjtx", shows: "what WSJT-X, JTDX or MSHV decodes on this computer" },
  { line: "hamkit wsjtx --log mylog.adi", shows: "with marks for new entities, bands and calls" },
  { line: "hamkit wsjtx --group 224.0.0.1", shows: "together with other programs that listen" },
  { line: "hamkit wsjtx --json", shows: "one JSON object per datagram" },
];

export function defineWsjtxCommand(command: Command, session: Session): void {
  addDataOptions(command)
    .description(
      "Listens to the UDP datagrams of WSJT-X, JTDX and MSHV and writes each decode immediately, with country, distance and " +
        "heading of its sender, until it is interrupted. Set the programs to send to this computer, port 2237.",
    )
    .option("--from <locator>", "own locator; default: that of the program")
    .option(
      "--log <path>",
      "a log in ADIF, Cabrillo, EDI or FLE: marks entities, bands and calls that are not in it",
    )
    .option("--port <number>", "the UDP port; default 2237", integerFrom(1, 65_535))
    .option("--address <address>", "the local address to listen at; default 127.0.0.1")
    .option("--group <address>", "the multicast group that the programs send to, such as 224.0.0.1")
    .option("--interface <address>", "with --group: the local address of one network interface; default: all")
    .option("--count <number>", "end after this number of decodes", integerFrom(1, 1_000_000_000))
    .option("--json", "output JSON: one object per datagram")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: WsjtxOptions) => {
      await reportWsjtx(options, session);
    });
}

interface WsjtxOptions extends DataOptions {
  readonly from?: string;
  readonly log?: string;
  readonly port?: number;
  readonly address?: string;
  readonly group?: string;
  readonly interface?: string;
  readonly count?: number;
  readonly json?: boolean;
}

/** The lines of a datagram. */
type Writer = (received: ReceivedDatagram, heard: HeardStation | undefined) => readonly string[];

/** Writes decodes until the process is interrupted, standard output is closed, or `--count` of them are written. */
async function reportWsjtx(options: WsjtxOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before listening
    const table = await openTable(options, session);
    const worked = options.log === undefined ? undefined : await readWorkedStations(options.log, table);
    const listener = await listenWsjtx(listenOptions(options));
    session.atEnd(() => listener.close());
    if (!json)
      session.print([
        session.ink("dim", listeningText(listener, options)),
        session.ink("bold", decodeHead()),
      ]);
    const lookup = createDecodeLookup({ table, from: options.from, worked });
    await writeDatagrams(
      { listener, lookup, write: json ? jsonWriter : textWriter(session) },
      options,
      session,
    );
  } catch (failure) {
    if (!json) throw failure;
    // One line like all others, for consumers that parse line by line.
    const error = problemOf(failure);
    session.print([toJson({ error }, 0)]);
    session.finish(exitCodeOf(error));
  }
}

function listenOptions({
  port,
  address,
  group,
  interface: networkInterface,
}: WsjtxOptions): ListenWsjtxOptions {
  return {
    ...(port !== undefined && { port }),
    ...(address !== undefined && { address }),
    ...(group !== undefined && { group }),
    ...(networkInterface !== undefined && { networkInterface }),
  };
}

function listeningText({ local }: WsjtxListener, { group }: WsjtxOptions): string {
  return `Listening on UDP port ${local.port} of ${group ?? local.address}`;
}

interface Task {
  readonly listener: WsjtxListener;
  readonly lookup: DecodeLookup;
  readonly write: Writer;
}

async function writeDatagrams(
  { listener, lookup, write }: Task,
  { count = Infinity }: WsjtxOptions,
  { io, print, warn }: Session,
): Promise<void> {
  let decodes = 0;
  const warnOfDropped = dropWarning(listener, { what: "datagrams", reader: "the output", warn });
  for await (const received of listener) {
    const { datagram, time } = received;
    lookup.observe(datagram);
    const isDecode = datagram.kind === "decode" || datagram.kind === "wsprDecode";
    print(write(received, isDecode ? lookup.lookUp(datagram, time) : undefined));
    if (isDecode) decodes++;
    if (decodes >= count || !(await io.stdout.ready())) return;
    warnOfDropped();
  }
}

function jsonWriter({ datagram, sender, time }: ReceivedDatagram, heard: HeardStation | undefined): string[] {
  const start = { ...datagram, sender, received: time.toISOString() };
  if (heard === undefined) return [toJson(start, 0)];
  const { parsed, band = null, record, distanceKm = null, heading = null, newOnes = null } = heard;
  const station =
    record === undefined
      ? null
      : {
          country: record.country,
          adif: record.adif,
          continent: record.continent,
          cqz: record.cqz ?? null,
          ituz: record.ituz ?? null,
          distanceKm,
          heading,
        };
  return [toJson({ ...start, parsed, band, station, newOnes }, 0)];
}

/** Status lines are written when what they show changes; other datagrams than decodes and logged contacts are not shown. */
function textWriter({ ink, warn }: Session): Writer {
  let lastStatus = "";
  let hasWarned = false;
  return ({ datagram, sender }, heard) => {
    if (heard !== undefined) {
      const mark = newOneText(heard);
      const row = decodeRow(heard);
      return [mark === "" ? row.trimEnd() : `${row}  ${ink("green", mark)}`];
    }
    if (datagram.kind === "invalid" && !hasWarned) {
      hasWarned = true;
      warn(`a datagram from ${sender.address}:${sender.port} is not one of WSJT-X: ${datagram.reason}`);
    }
    if (datagram.kind === "qsoLogged") return [ink("cyan", loggedText(datagram))];
    if (datagram.kind !== "status") return [];
    const text = statusText(datagram);
    if (text === lastStatus) return [];
    lastStatus = text;
    return [ink("dim", text)];
  };
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align?: "right";
  readonly cell: (heard: HeardStation) => string;
}

const MESSAGE_WIDTH = 37;
const COUNTRY_WIDTH = 22;

/** Columns have fixed widths, since the width of the following lines is unknown. */
const COLUMNS: readonly Column[] = [
  { title: "Time", width: 6, cell: ({ decode }) => timeText(decode.timeMs) },
  { title: "dB", width: 3, align: "right", cell: ({ decode }) => String(decode.snr) },
  { title: "DT", width: 4, align: "right", cell: ({ decode }) => decode.deltaTime?.toFixed(1) ?? "" },
  {
    title: "Hz",
    width: 4,
    align: "right",
    cell: ({ decode }) => (decode.kind === "decode" ? String(decode.deltaFrequencyHz) : ""),
  },
  { title: "Band", width: 4, align: "right", cell: ({ band }) => band ?? "" },
  {
    title: "Message",
    width: 24,
    cell: ({ text }) => printable(text.trim().replaceAll(/\s+/g, " "), MESSAGE_WIDTH),
  },
  {
    title: "Country",
    width: COUNTRY_WIDTH,
    cell: ({ record }) => printable(record?.country ?? "", COUNTRY_WIDTH),
  },
  { title: "km", width: 5, align: "right", cell: ({ distanceKm }) => distanceKm?.toFixed(0) ?? "" },
  {
    title: "Deg",
    width: 3,
    align: "right",
    cell: ({ heading }) => (heading === undefined ? "" : String(Math.round(heading) % 360)),
  },
];

/** The header line. */
function decodeHead(): string {
  return `${lineOf(({ title }) => title)}  New`;
}

/** A decode as a row, without the mark of a new one. */
function decodeRow(heard: HeardStation): string {
  return lineOf(({ cell }) => cell(heard));
}

/** The mark of a new one: the rarest only. */
function newOneText({ newOnes: [first] = [], band }: HeardStation): string {
  const texts: Readonly<Record<NewOne, string>> = {
    entity: "new entity",
    band: `new on ${band ?? ""}`,
    call: "new call",
  };
  return first === undefined ? "" : texts[first];
}

function lineOf(textOf: (column: Column) => string): string {
  return COLUMNS.map((column) =>
    column.align === "right" ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
  ).join("  ");
}

/** What of a status is shown, when it changes. */
function statusText({ id, dialFrequencyHz, mode, deCall, deGrid }: Status): string {
  const parts = [id, `${(dialFrequencyHz / 1e6).toFixed(6)} MHz`, mode, deCall, deGrid];
  return toPrintable(parts.filter(Boolean).join("  "));
}

/** A logged contact. */
function loggedText({ id, dxCall, dxGrid, mode, reportSent, reportReceived }: QsoLogged): string {
  const parts = [
    id,
    "logged",
    dxCall,
    dxGrid,
    mode,
    `sent ${reportSent ?? ""}`,
    `received ${reportReceived ?? ""}`,
  ];
  return toPrintable(parts.filter(Boolean).join("  "));
}

const DAY_MS = 86_400_000;

/** "115400" of milliseconds since midnight; blank for none. */
function timeText(timeMs: number): string {
  return timeMs < DAY_MS ? new Date(timeMs).toISOString().slice(11, 19).replaceAll(":", "") : "";
}
