/** A log with what a table knows of the stations in it. */
import { AttributeError, ArgumentTypeError } from "../../errors.js";
import { locatorToPosition } from "../../geo/locator.js";
import { identifyAt, momentOf } from "../../lookup/identify.js";
import type { TableSource } from "../../lookup/source.js";
import { createAnnotation, type AnnotatedLog } from "./annotation.js";
import type { Log } from "../log.js";
import { requireLog } from "../write-log.js";

/** With what to annotate. */
export interface AnnotateLogOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /**
   * One's own place, of 4, 6, 8 or 10 characters. When left out, each QSO's `MY_GRIDSQUARE` or `MY_LAT` and `MY_LON`
   * counts, or else the place of its `STATION_CALLSIGN` or `OPERATOR`, which may be no more than the middle of a country.
   */
  readonly locator?: string | undefined;
  /** Replaces what the log has; when left out, that is kept. */
  readonly overwrite?: boolean | undefined;
  /** The moment for QSOs without a date; now when left out. */
  readonly now?: Date | undefined;
}

/**
 * The log with country, entity, zones, continent, distance and heading of every QSO that can be identified, each at its
 * own time: the fields `COUNTRY`, `DXCC`, `CQZ`, `ITUZ`, `CONT`, `DISTANCE` (km) and `APP_HAMKIT_HEADING` (degrees).
 *
 * What the log says itself is kept, and told where it differs. Where it has another `DXCC`, only that is told: nothing
 * is added that would not fit it. The other station is where its `GRIDSQUARE` is, or its `LAT` and `LON`, or else where
 * the table has its callsign. Distances are on the sphere of 6371 km, by the long path where `ANT_PATH` is `L`.
 *
 * @throws {LocatorError} One's own locator is none; a `ValueError`.
 * @throws {AttributeError} One's own locator is not a string.
 * @throws {ArgumentTypeError} What was passed is no log, or there is no table.
 * @throws {ValueError} `now` is no valid date.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const log = await readLog("<CALL:4>W1AW<QSO_DATE:8>20240101<TIME_ON:4>1200<BAND:3>20m<EOR>");
 * const annotated = annotateLog(log, { table, locator: "JN48QM" });
 * const [qso] = annotated.log.qsos;
 * qso && fieldValue(qso, "DXCC"); // => "291"
 * annotated.summary.entities[0]?.country; // => "United States"
 */
export function annotateLog(log: Log, options: AnnotateLogOptions): AnnotatedLog {
  requireLog(log);
  const { table, locator, overwrite = false, now } = options;
  if (typeof table?.longestPrefix !== "function") {
    const expected = "a table, such as a loaded country file";
    throw new ArgumentTypeError({ argument: "table", value: table, expected });
  }
  if (locator !== undefined && typeof locator !== "string") {
    throw new AttributeError({ argument: "locator", value: locator, expected: "a locator as a string" });
  }
  const annotation = createAnnotation(log, {
    from: locator === undefined ? undefined : locatorToPosition(locator, "locator", "center"),
    now: momentOf(now, "now"),
    overwrite,
    entityName: (adif) => table.entity(adif)?.country,
  });
  for (const qso of log.qsos) {
    const question = annotation.ask(qso);
    const { call, ownCall, at } = question;
    annotation.answer(qso, question, {
      other: call === undefined ? undefined : identifyAt(call, table, at),
      own: ownCall === undefined ? undefined : identifyAt(ownCall, table, at),
    });
  }
  return annotation.finish();
}
