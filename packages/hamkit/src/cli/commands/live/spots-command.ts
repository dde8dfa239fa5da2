/** `hamkit spots`: annotates each line of a DX cluster before waiting for the next one, or connects to live feeds. */
import { InvalidArgumentError, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { addLookupOptions, type LookupOptions } from "../../databases/lookup-options.js";
import { UsageError, exitCodeOf, problemOf } from "../../exit-code.js";
import { integerFrom } from "../../input/integer-option.js";
import { list } from "../../input/list-option.js";
import { type Session, toJson } from "../../session.js";
import type { EventAddress } from "./event-server.js";
import { addFeedSourceOptions } from "./feed-options.js";
import type { FeedOptions } from "./spots-feed.js";
import { locatorToPosition } from "../../../geo/locator.js";
import type { TableSource } from "../../../lookup/source.js";
import { findBand } from "../../../frequency.js";
import {
  annotateSpot,
  decodeSpot,
  type AnnotatedSpot,
  type ClusterLine,
  type SpotStation,
} from "../../../spots.js";
import { openTable } from "../../databases/callsign-database.js";
import { dataText } from "../../terminal/text-table.js";
import { streamLines } from "../../input/input-lines.js";
import { openNeeds, type NeedOptions, type NeedReader } from "./spot-needs.js";
import { bulletinText, spotHead, spotRow } from "./spot-text.js";
import { toPrintable } from "../../terminal/terminal.js";

const EXAMPLES = [
  { line: "hamkit spots < spots.txt", shows: "the lines of a file" },
  { line: "hamkit spots --from JN48QM < spots.txt", shows: "with distance and heading" },
  { line: "hamkit spots --at 2024-06-30 < spots.txt", shows: "lines received on that day" },
  { line: "hamkit spots --json < spots.txt", shows: "one JSON object per line" },
  { line: "hamkit spots --connect cluster.example.net:7300 --login N0CALL", shows: "a live cluster" },
  {
    line: "hamkit spots --connect rbn,pota --login N0CALL --band 20m --mode CW",
    shows: "live feeds, filtered",
  },
  { line: "hamkit spots --connect rbn --login N0CALL --sse 7373", shows: "as events for a web page, too" },
  { line: "hamkit spots --log mylog.adi --needed < spots.txt", shows: "what the log lacks" },
];

/** What has no effect on lines from standard input. */
const FEED_OPTIONS = [
  "login",
  "command",
  "band",
  "mode",
  "dxContinent",
  "dxEntity",
  "spotterContinent",
  "spotterEntity",
  "match",
  "skimmer",
  "count",
  "sse",
] as const;

export function defineSpotsCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description(
      "Reads the lines of a DX cluster from standard input and writes each immediately, with country, zones, distance " +
        "and heading of the station. Decodes spots (DX de, show/dx, CC11, PC11, PC26, PC61), announcements, and the reports " +
        "WWV and WCY; other lines are passed through. With --connect it shows live feeds until it is interrupted, and connects " +
        "again where a connection is lost.",
    )
    .option("--from <locator>", "own locator, for distances and headings")
    .option(
      "--log <path>",
      "a log in ADIF, Cabrillo, EDI or FLE: shows what each spot would be for its awards, new or not confirmed",
    )
    .option("--needed", "with --log: only spots that are needed")
    .option("--award <ids>", "with --log: by these awards, such as dxcc,was or pota", list);
  addFeedSourceOptions(command)
    .option(
      "--dx-continent <continents>",
      "with --connect: only stations in EU, NA, SA, AS, AF, OC or AN",
      continents,
    )
    .option(
      "--dx-entity <entities>",
      "with --connect: only stations of these entities: codes, prefixes or calls",
      list,
    )
    .option("--spotter-continent <continents>", "with --connect: only what was heard there", continents)
    .option("--spotter-entity <entities>", "with --connect: only what was heard in these entities", list)
    .option(
      "--match <patterns>",
      "with --connect: only these calls; * stands for any characters, ? for one",
      list,
    )
    .option("--skimmer", "with --connect: only what skimmers heard")
    .option("--no-skimmer", "with --connect: only what people reported")
    .option(
      "--count <number>",
      "with --connect: end after this number of spots",
      integerFrom(1, 1_000_000_000),
    )
    .option(
      "--sse <port>",
      "with --connect: also serve the spots as Server-Sent Events at this port of 127.0.0.1, or at ADDRESS:PORT",
      eventAddress,
    )
    .option("--json", "output JSON: one object for each line that is not blank, or for each spot")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: SpotsOptions & FeedOptions) => {
      if (options.connect !== undefined) {
        const { reportFeed } = await import("./spots-feed.js");
        await reportFeed(options, session);
        return;
      }
      const needless = FEED_OPTIONS.find((name) => options[name] !== undefined);
      if (needless !== undefined) {
        const option = needless.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
        throw new UsageError(`--${option} needs --connect`);
      }
      await reportSpots(options, session);
    });
}

function continents(text: string): string[] {
  const values = list(text.toUpperCase());
  if (values.every((value) => /^(?:EU|NA|SA|AS|AF|OC|AN)$/.test(value))) return values;
  throw new InvalidArgumentError("Expected EU, NA, SA, AS, AF, OC or AN.");
}

/** `7373`, `0.0.0.0:7373`, `[::1]:7373` */
function eventAddress(text: string): EventAddress {
  const [, ipv6, host = ipv6 ?? "127.0.0.1", digits] =
    /^(?:(?:\[([0-9A-F:.]+)\]|([A-Z0-9.-]+)):)?([0-9]{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (port >= 0 && port <= 65_535) return { address: host, port };
  throw new InvalidArgumentError("Expected a port, or ADDRESS:PORT.");
}

interface SpotsOptions extends LookupOptions, NeedOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** The output format. */
interface Writer {
  begin(): readonly string[];
  /** Nothing for a spot that is not needed, with `--needed`. */
  write(line: ClusterLine): readonly string[];
  end(): readonly string[];
}

/** Processes the lines of standard input until it ends or standard output is closed. */
async function reportSpots(options: SpotsOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before the first spot
    const table = await openTable(options, session);
    const needsOf = await openNeeds(options, table, session);
    await processLines(
      json ? jsonWriter(table, options, needsOf) : textWriter({ table, needsOf }, options, session),
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

async function processLines(writer: Writer, { at }: SpotsOptions, { io, print }: Session): Promise<void> {
  print(writer.begin());
  for await (const line of streamLines(io.stdin())) {
    if (line.trim() === "") continue;
    print(writer.write(decodeSpot(line, { now: at ?? io.now() })));
    if (!(await io.stdout.ready())) return;
  }
  print(writer.end());
}

function jsonWriter(
  table: TableSource,
  { from, needed = false }: SpotsOptions,
  needsOf: NeedReader | undefined,
): Writer {
  return {
    begin: () => [],
    write(line) {
      if (line.kind !== "spot") return [toJson(line, 0)];
      const needs = needsOf?.(line).needs;
      if (needed && needs?.length === 0) return [];
      const document = spotDocument(annotateSpot(line, { table, locator: from }));
      return [toJson({ ...document, ...(needs !== undefined && { needs }) }, 0)];
    },
    end: () => [],
  };
}

interface SpotData {
  readonly table: TableSource;
  readonly needsOf: NeedReader | undefined;
}

function textWriter(
  { table, needsOf }: SpotData,
  { from, needed = false }: SpotsOptions,
  { ink }: Session,
): Writer {
  const columns = { hasDistance: from !== undefined, hasNeeds: needsOf !== undefined };
  return {
    begin: () => [ink("bold", spotHead(columns))],
    write(line) {
      if (line.kind === "spot") {
        const found = needsOf?.(line);
        if (needed && found?.needs.length === 0) return [];
        const spot = annotateSpot(line, { table, locator: from });
        return [spotRow({ ...spot, needs: found?.text }, columns)];
      }
      if (line.kind === "unknown") return [ink("dim", toPrintable(line.line.trim()))];
      return [ink("cyan", bulletinText(line))];
    },
    end: () => ["", ink("dim", dataText(table))],
  };
}

/** A station in JSON output, with the fields of `hamkit call`. */
interface StationDocument {
  readonly country: string;
  readonly adif: number;
  readonly continent: string;
  /** Zones and position are `null` at sea and in the air. */
  readonly cqz: number | null;
  readonly ituz: number | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly matchedBy: string;
  readonly match: string;
  /** `null` without `--from`. */
  readonly distanceKm: number | null;
  readonly heading: number | null;
}

/** A spot in JSON output: with its band and its two stations, `null` if a call is unknown. */
function spotDocument({ dxStation, spotterStation, ...spot }: AnnotatedSpot): object {
  return {
    ...spot,
    band: findBand(spot.frequency)?.adif ?? null,
    dxStation: stationDocument(dxStation),
    spotterStation: stationDocument(spotterStation),
  };
}

function stationDocument(station: SpotStation): StationDocument | null {
  const { identification, distanceKm = null, heading = null } = station;
  if (identification.kind !== "identified") return null;
  const { record, matchedBy, match } = identification;
  const { country, adif, continent, cqz, ituz = null } = record;
  return {
    country,
    adif,
    continent,
    cqz: cqz ?? null,
    ituz,
    latitude: record.latitude ?? null,
    longitude: record.longitude ?? null,
    matchedBy,
    match,
    distanceKm,
    heading,
  };
}
