/** The output of `hamkit TEXT`: a locator's card, a callsign's card or table, or both for a text that is both. */
import { openDatabase, type CallsignDatabase } from "../databases/callsign-database.js";
import { identifyCalls, type KnownCall } from "../databases/identify-calls.js";
import { isLikeCall, isLocator } from "../input/text-form.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../query-result.js";
import type { Report, Session } from "../session.js";
import { footerOf, textOf, type CallOptions } from "./call-report.js";
import { locatorCard, squareOf, type Square } from "./locator-report.js";

export type TextOptions = CallOptions;

/** What a text is. */
interface Meaning {
  readonly input: string;
  /** `null` if it is not a locator. */
  readonly locator: Square | null;
  /** `null` if it is a locator and not a known callsign. */
  readonly call: QueryResult<KnownCall> | null;
}

/** Answers each text as a locator, a callsign, or both. The callsign database is opened unless all texts are locators only. */
export async function reportTexts(
  inputs: readonly string[],
  options: TextOptions,
  session: Session,
): Promise<Report> {
  const at = options.at ?? session.io.now();
  const calls = inputs.filter((input) => !isLocator(input) || isLikeCall(input));
  const database = calls.length === 0 ? undefined : await openDatabase(options, session);
  const identified = database === undefined ? [] : await identifyCalls(calls, { database, at });
  const byInput = new Map(identified.map((call) => [call.input, call]));
  const texts = inputs.map((input) => meaningOf(input, byInput.get(input)));
  const known = texts.flatMap(({ call }) => call ?? []);
  return {
    document: { at, data: dataOf(database), texts },
    lines: () => linesOf(texts, database === undefined ? "" : footerOf(database, options), session),
    errors: errorLines(known, "callsigns"),
    exitCode: worstExitCode(known),
  };
}

function dataOf(database: CallsignDatabase | undefined): object | null {
  return database === undefined ? null : { name: database.name, date: database.date ?? null };
}

function meaningOf(input: string, call: QueryResult<KnownCall> | undefined): Meaning {
  const locator = isLocator(input) ? squareOf(input) : null;
  const isCall = call !== undefined && (locator === null || !isFailure(call));
  return { input, locator, call: isCall ? call : null };
}

/** The cards of the locators, then the callsigns as `hamkit call` shows them. */
function linesOf(texts: readonly Meaning[], footer: string, session: Session): string[] {
  const cards = texts.flatMap(({ locator }) => (locator === null ? [] : [locatorCard(locator, session)]));
  const calls = texts.flatMap(({ call }) => call ?? []);
  const blocks = [...cards, textOf(calls, footer, session)].filter((block) => block.length > 0);
  return blocks.flatMap((block, index) => (index === 0 ? block : ["", ...block]));
}
