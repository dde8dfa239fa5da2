/** Implements `hamkit spots`: decodes and writes each line before waiting for the next one. */
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
import { dataText } from "../data-text.js";
import { exitCodeOf, problemOf } from "../../exit-code.js";
import { streamLines } from "../../input/input-lines.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import { toJson, type Session } from "../../session.js";
import { bulletinText, spotHead, spotRow } from "./spot-text.js";
import { toPrintable } from "../../terminal/terminal.js";

export interface SpotsOptions extends LookupOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** The output format. */
interface Writer {
  begin(): readonly string[];
  write(line: ClusterLine): string;
  end(): readonly string[];
}

/** Processes the lines of standard input until it ends or standard output is closed. */
export async function reportSpots(options: SpotsOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before the first spot
    const table = await openTable(options, session);
    await processLines(
      json ? jsonWriter(table, options) : textWriter(table, options, session),
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
    print([writer.write(decodeSpot(line, { now: at ?? io.now() }))]);
    if (!(await io.stdout.ready())) return;
  }
  print(writer.end());
}

function jsonWriter(table: TableSource, { from }: SpotsOptions): Writer {
  return {
    begin: () => [],
    write: (line) =>
      toJson(line.kind === "spot" ? spotDocument(annotateSpot(line, { table, locator: from })) : line, 0),
    end: () => [],
  };
}

function textWriter(table: TableSource, { from }: SpotsOptions, { ink }: Session): Writer {
  const hasDistance = from !== undefined;
  return {
    begin: () => [ink("bold", spotHead(hasDistance))],
    write(line) {
      if (line.kind === "spot") return spotRow(annotateSpot(line, { table, locator: from }), hasDistance);
      if (line.kind === "unknown") return ink("dim", toPrintable(line.line.trim()));
      return ink("cyan", bulletinText(line));
    },
    end: () => ["", ink("dim", dataText(table))],
  };
}

/** A station in JSON output, with the fields of `hamkit call`. */
interface StationDocument {
  readonly country: string;
  readonly adif: number;
  readonly continent: string;
  readonly cqz: number;
  readonly ituz: number | null;
  /** `null` at sea and in the air. */
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
  const isSomewhere = continent !== "";
  return {
    country,
    adif,
    continent,
    cqz,
    ituz,
    latitude: isSomewhere ? record.latitude : null,
    longitude: isSomewhere ? record.longitude : null,
    matchedBy,
    match,
    distanceKm,
    heading,
  };
}
