/** Annotates a log from a data source in memory. */
import { AttributeError } from "../../errors.js";
import { locatorToPosition } from "../../geo/locator.js";
import { identifyAt, momentOf, requireTable } from "../../lookup/identify.js";
import type { TableSource } from "../../lookup/source.js";
import { createAnnotation, type AnnotatedLog } from "./annotation.js";
import type { Log } from "../log.js";
import { requireLog } from "../write-log.js";

/** Data source, own location and mode of an annotation. */
export interface AnnotateLogOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /**
   * The own locator, of 4, 6, 8 or 10 characters. Default: each QSO's `MY_GRIDSQUARE`, or `MY_LAT` and `MY_LON`, or else
   * the location of its `STATION_CALLSIGN` or `OPERATOR`, which may be only the middle of a country.
   */
  readonly locator?: string | undefined;
  /** Whether to replace values of the log; default `false`. */
  readonly overwrite?: boolean | undefined;
  /** The moment for QSOs without a date; default: now. */
  readonly now?: Date | null | undefined;
}

/**
 * Adds country, entity, zones, continent, distance and heading to each identified QSO, by the data of its own time: the
 * fields `COUNTRY`, `DXCC`, `CQZ`, `ITUZ`, `CONT`, `DISTANCE` (km) and `APP_HAMKIT_HEADING` (degrees).
 *
 * Values of the log are kept; differing ones are reported. If the log has another `DXCC`, only that is reported, and
 * nothing that depends on the entity is added. The other station's location is its `GRIDSQUARE`, or `LAT` and `LON`, or
 * else that of its callsign in the table. Distances are on the sphere of 6371 km, on the long path if `ANT_PATH` is `L`.
 *
 * @throws {LocatorError} The own locator is malformed; a `ValueError`.
 * @throws {AttributeError} The own locator is not a string.
 * @throws {ArgumentTypeError} The argument is not a log, or the table is missing.
 * @throws {ValueError} `now` is not a valid date.
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
  requireTable(table);
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
    const query = annotation.query(qso);
    const { call, ownCall, at } = query;
    annotation.apply(qso, query, {
      other: call === undefined ? undefined : identifyAt(call, table, at),
      own: ownCall === undefined ? undefined : identifyAt(ownCall, table, at),
    });
  }
  return annotation.finish();
}
