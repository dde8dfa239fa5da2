/** Annotates a log QSO by QSO, whoever looks the callsigns up. */
import type { Position } from "../../geo/position.js";
import type { Identification } from "../../lookup/source.js";
import { applyFact, disagreementOf, edited, type Disagreement, type QsoEdit } from "./annotate-qso.js";
import { fieldValue, type Log, type LogProblem, type Qso } from "../log.js";
import { createSummary, type LogSummary } from "../log-summary.js";
import { addProblem } from "../problem-list.js";
import {
  placeOf,
  stationFacts,
  wayFacts,
  type EntityName,
  type QsoFact,
  type StationRecord,
} from "./qso-facts.js";
import { questionOf, type QsoQuestion } from "./qso-question.js";

/** A QSO whose station can't be told. */
export interface UnidentifiedQso {
  /** Of the QSO, from 1. */
  readonly line: number;
  /** "" where there is none. */
  readonly call: string;
  /** The callsign is not known, was used for an operation that doesn't count for DXCC, or is missing. */
  readonly reason: "unknown" | "invalid-operation" | "no-call";
}

/** A log with what was found, and an account of it. */
export interface AnnotatedLog {
  /** The log with more fields. */
  readonly log: Log;
  readonly summary: LogSummary;
  readonly unidentified: readonly UnidentifiedQso[];
  readonly disagreements: readonly Disagreement[];
  /** The problems of the log, and those of dates and locators that can't be: the first thousand. */
  readonly problems: readonly LogProblem[];
  /** How many there are in all. */
  readonly problemCount: number;
}

export interface AnnotationOptions {
  readonly from: Position | undefined;
  readonly now: number;
  readonly overwrite: boolean;
  readonly entityName: EntityName;
}

/** Asks for each QSO of a log in turn, takes the answers, and gives the log at the end. */
export interface Annotation {
  ask(qso: Qso): QsoQuestion;
  /** What was found about the two calls of the question; nothing where it didn't ask for one. */
  answer(qso: Qso, question: QsoQuestion, found: Answers): void;
  finish(): AnnotatedLog;
}

export interface Answers {
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
  /** Facts by record, since a log has few records and many QSOs. */
  const known = new Map<StationRecord, readonly QsoFact[]>();

  return { ask: (qso) => questionOf(qso, options), answer, finish };

  function answer(qso: Qso, question: QsoQuestion, { other, own }: Answers): void {
    for (const problem of question.problems) addProblem(problems, problem);
    const edit: QsoEdit = { qso, fields: qso.fields, more: [], added: 0, replaced: 0 };
    const record = recordOf(other);
    if (record === undefined) unidentified.push(unidentifiedOf(qso, question, other));
    const believed = record !== undefined && applyStation(edit, factsOf(record));
    applyWay(edit, question, believed ? record : undefined, recordOf(own));
    qsos.push(edited(edit));
    summary.count(edit, record !== undefined);
  }

  function factsOf(record: StationRecord): readonly QsoFact[] {
    const facts = known.get(record) ?? stationFacts(record, entityName);
    known.set(record, facts);
    return facts;
  }

  /**
   * Adds what is known of the station, and says whether it is what the log says too. Where the log has another entity and
   * is right, the zones and the country of this one would be wrong.
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

  function applyWay(
    edit: QsoEdit,
    question: QsoQuestion,
    other: StationRecord | undefined,
    own: StationRecord | undefined,
  ): void {
    const { qso } = edit;
    const from = question.ownPlace ?? placeOf(own);
    const to = question.place ?? placeOf(other);
    if (from === undefined || to === undefined) return;
    for (const fact of wayFacts(from, to, fieldValue(qso, "ANT_PATH"))) applyFact(edit, fact, overwrite);
  }

  function finish(): AnnotatedLog {
    return { log: { ...log, qsos }, summary: summary.finish(), unidentified, disagreements, ...problems };
  }
}

function recordOf(found: Identification<StationRecord> | undefined): StationRecord | undefined {
  return found?.kind === "identified" ? found.record : undefined;
}

function unidentifiedOf({ line }: Qso, { call }: QsoQuestion, found: Answers["other"]): UnidentifiedQso {
  if (call === undefined) return { line, call: "", reason: "no-call" };
  return { line, call, reason: found?.kind === "invalid-operation" ? "invalid-operation" : "unknown" };
}
