/** Annotates a log QSO by QSO, independent of the lookup: the caller identifies the calls of each query. */
import { distanceKm } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import type { Identification, TableSource } from "../../lookup/source.js";
import { mobileKind } from "../../callsign/mobile.js";
import { MOBILE_RECORDS } from "../../lookup/record.js";
import { applyFact, disagreementOf, edited, type Disagreement, type QsoEdit } from "./qso-edit.js";
import { addProblem, fieldValue, type Log, type LogProblem, type Qso } from "../log.js";
import { createSummary, type LogSummary } from "./log-summary.js";
import {
  placeOf,
  stationFacts,
  pathFacts,
  type EntityName,
  type PathEnd,
  type QsoFact,
  type StationRecord,
} from "./qso-facts.js";
import type { PlaceArea } from "./qso-place.js";
import { queryOf, type QsoQuery } from "./qso-query.js";
import { AttributeError } from "../../errors.js";
import { locatorToPosition } from "../../geo/locator.js";
import { identifyAt, momentOf, requireTable } from "../../lookup/identify.js";
import { requireLog } from "../write-log.js";

/** A QSO whose station was not identified. */
export interface UnidentifiedQso {
  /** Line of the QSO, from 1. */
  readonly line: number;
  /** "" if it is missing. */
  readonly call: string;
  /** The callsign is unknown, was used for an operation that doesn't count for DXCC, or is missing. */
  readonly reason: "unknown" | "invalid-operation" | "no-call";
}

/** An annotated log and a report. */
export interface AnnotatedLog {
  /** The log with the added fields. */
  readonly log: Log;
  readonly summary: LogSummary;
  readonly unidentified: readonly UnidentifiedQso[];
  readonly disagreements: readonly Disagreement[];
  /** The problems of the log, and invalid dates and locators: the first thousand. */
  readonly problems: readonly LogProblem[];
  /** Number of all problems. */
  readonly problemCount: number;
}

export interface AnnotationOptions {
  readonly from: Position | undefined;
  readonly now: number;
  readonly overwrite: boolean;
  readonly entityName: EntityName;
}

/** An annotation in progress. For each QSO in turn: `query`, identify the calls, `apply`; at the end `finish`. */
export interface Annotation {
  query(qso: Qso): QsoQuery;
  /** Applies the results for the two calls of the query; `undefined` for a call that the query lacks. */
  apply(qso: Qso, query: QsoQuery, results: QsoResults): void;
  finish(): AnnotatedLog;
}

export interface QsoResults {
  readonly other: Identification<StationRecord> | undefined;
  readonly own: Identification<StationRecord> | undefined;
}

export function createAnnotation(log: Log, options: AnnotationOptions): Annotation {
  const { overwrite, entityName } = options;
  const qsos: Qso[] = [];
  const unidentified: UnidentifiedQso[] = [];
  const disagreements: Disagreement[] = [];
  const problems = { problems: [...log.problems], problemCount: log.problemCount };
  const summary = createSummary(entityName);
  /** Cache of facts by record: a log has few records and many QSOs. */
  const known = new Map<StationRecord, readonly QsoFact[]>();

  return { query: (qso) => queryOf(qso, options), apply, finish };

  function apply(qso: Qso, query: QsoQuery, { other, own }: QsoResults): void {
    for (const problem of query.problems) addProblem(problems, problem);
    const edit: QsoEdit = { qso, fields: qso.fields, more: [], added: 0, replaced: 0 };
    const record = recordOf(query.call, other);
    if (record === undefined) unidentified.push(unidentifiedOf(qso, query, other));
    const isConfirmed = record !== undefined && applyStation(edit, factsOf(record));
    applyPath(edit, query, isConfirmed ? record : undefined, recordOf(query.ownCall, own));
    qsos.push(edited(edit));
    summary.count(edit, record !== undefined);
  }

  function factsOf(record: StationRecord): readonly QsoFact[] {
    const facts = known.get(record) ?? stationFacts(record, entityName);
    known.set(record, facts);
    return facts;
  }

  /**
   * Applies the facts of the station, and returns whether its entity agrees with the log. If the log has another entity
   * and is right, the zones and the country of this one would be wrong, so that none is applied.
   */
  function applyStation(edit: QsoEdit, facts: readonly QsoFact[]): boolean {
    const entity = facts.find(({ name }) => name === "DXCC");
    const contradiction = entity && disagreementOf(edit, entity);
    const isRefuted = contradiction !== undefined && !overwrite;
    for (const fact of isRefuted ? [] : facts) {
      const disagreement = disagreementOf(edit, fact);
      if (disagreement !== undefined) disagreements.push(disagreement);
      applyFact(edit, fact, overwrite);
    }
    if (isRefuted) disagreements.push(contradiction);
    return !isRefuted;
  }

  function applyPath(
    edit: QsoEdit,
    query: QsoQuery,
    other: StationRecord | undefined,
    own: StationRecord | undefined,
  ): void {
    const { qso } = edit;
    const from = endOf(query.ownPlace, query.ownArea, placeOf(own));
    const to = endOf(query.place, query.area, placeOf(other));
    if (from === undefined || to === undefined) return;
    for (const fact of pathFacts(from, to, fieldValue(qso, "ANT_PATH"))) applyFact(edit, fact, overwrite);
  }

  function finish(): AnnotatedLog {
    return { log: { ...log, qsos }, summary: summary.finish(), unidentified, disagreements, ...problems };
  }
}

/** An end of a path. The position of a call that is within the area of the log is nearer than the middle of that area. */
function endOf(
  place: Position | undefined,
  area: PlaceArea | undefined,
  ofCall: Position | undefined,
): PathEnd | undefined {
  if (place !== undefined) return { position: place, errorKm: area?.radiusKm ?? 0 };
  if (area === undefined) return ofCall && { position: ofCall, errorKm: 0 };
  const isInside = ofCall !== undefined && distanceKm(ofCall, area.center) <= area.radiusKm;
  return isInside ? { position: ofCall, errorKm: 0 } : { position: area.center, errorKm: area.radiusKm };
}

/** The record; for stations at sea and in the air without an entity, also where a service has that of the owner's home. */
function recordOf(
  call: string | undefined,
  found: Identification<StationRecord> | undefined,
): StationRecord | undefined {
  if (found?.kind !== "identified") return undefined;
  const mobile = call === undefined || found.record.continent === "" ? undefined : mobileKind(call);
  return mobile === undefined ? found.record : MOBILE_RECORDS[mobile];
}

function unidentifiedOf({ line }: Qso, { call }: QsoQuery, found: QsoResults["other"]): UnidentifiedQso {
  if (call === undefined) return { line, call: "", reason: "no-call" };
  return { line, call, reason: found?.kind === "invalid-operation" ? "invalid-operation" : "unknown" };
}

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
 * nothing that depends on the entity is added. The other station's location is its `GRIDSQUARE`, or `LAT` and `LON`, or where its
 * `VUCC_GRIDS` meet, or that of its callsign in the table, or else the middle of a `GRIDSQUARE` of two characters. For a line between
 * two grids, and for such a field, `APP_HAMKIT_DISTANCE_ERROR` has the km by which the distance may be wrong. Distances are on the
 * sphere of 6371 km, on the long path if `ANT_PATH` is `L`.
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
