/** Annotates a log QSO by QSO, independent of the lookup: the caller identifies the calls of each query. */
import type { Position } from "../../geo/position.js";
import type { Identification } from "../../lookup/source.js";
import { applyFact, disagreementOf, edited, type Disagreement, type QsoEdit } from "./qso-edit.js";
import { fieldValue, type Log, type LogProblem, type Qso } from "../log.js";
import { createSummary, type LogSummary } from "./log-summary.js";
import { addProblem } from "../problem-list.js";
import {
  placeOf,
  stationFacts,
  pathFacts,
  type EntityName,
  type QsoFact,
  type StationRecord,
} from "./qso-facts.js";
import { queryOf, type QsoQuery } from "./qso-query.js";

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
    const record = recordOf(other);
    if (record === undefined) unidentified.push(unidentifiedOf(qso, query, other));
    const isConfirmed = record !== undefined && applyStation(edit, factsOf(record));
    applyPath(edit, query, isConfirmed ? record : undefined, recordOf(own));
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
    const from = query.ownPlace ?? placeOf(own);
    const to = query.place ?? placeOf(other);
    if (from === undefined || to === undefined) return;
    for (const fact of pathFacts(from, to, fieldValue(qso, "ANT_PATH"))) applyFact(edit, fact, overwrite);
  }

  function finish(): AnnotatedLog {
    return { log: { ...log, qsos }, summary: summary.finish(), unidentified, disagreements, ...problems };
  }
}

function recordOf(found: Identification<StationRecord> | undefined): StationRecord | undefined {
  return found?.kind === "identified" ? found.record : undefined;
}

function unidentifiedOf({ line }: Qso, { call }: QsoQuery, found: QsoResults["other"]): UnidentifiedQso {
  if (call === undefined) return { line, call: "", reason: "no-call" };
  return { line, call, reason: found?.kind === "invalid-operation" ? "invalid-operation" : "unknown" };
}
