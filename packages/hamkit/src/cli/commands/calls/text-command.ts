/** `hamkit TEXT`: the answers for locators and callsigns without the name of a command. */
import type { Command } from "commander";

import { addLookupOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { openDatabase } from "../../databases/callsign-database.js";
import { identifyCalls, type KnownCall } from "../../databases/identify-calls.js";
import { isLocator } from "../../input/text-form.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../../exit-code.js";
import { footerOf, callLines, type CallOptions } from "./call-command.js";
import { locatorCard, squareOf, withZones, type Square } from "../places/locator-command.js";

/** A hidden command, whose name is added where the first word is no command. */
export function defineTextCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description("Shows what texts are: locators, callsigns, or both.")
    .argument("<text...>", "locators and callsigns")
    .option("--json", "output JSON")
    .action(async (texts: string[], options: TextOptions) => {
      session.present(await reportTexts(texts, options, session), options);
    });
}

type TextOptions = CallOptions;

/** What a text is. */
interface Meaning {
  readonly input: string;
  /** `null` if it is not a locator. */
  readonly locator: Square | null;
  /** `null` if it is a locator and not a known callsign. */
  readonly call: QueryResult<KnownCall> | null;
}

/** Answers each text as a locator, a callsign, or both: almost every locator has the form of a callsign. */
async function reportTexts(
  inputs: readonly string[],
  options: TextOptions,
  session: Session,
): Promise<Report> {
  const at = options.at ?? session.io.now();
  const database = await openDatabase(options, session);
  const calls = await identifyCalls(inputs, { database, at });
  const texts = calls.map(meaningOf);
  const known = texts.flatMap(({ call }) => call ?? []);
  const { name, date = null } = database;
  return {
    document: { at, data: { name, date }, texts },
    lines: () => linesOf(texts, footerOf(database, options), session),
    errors: errorLines(known, "callsigns"),
    exitCode: worstExitCode(known),
  };
}

function meaningOf(call: QueryResult<KnownCall>): Meaning {
  const { input } = call;
  if (!isLocator(input)) return { input, locator: null, call };
  return { input, locator: withZones(squareOf(input)), call: isFailure(call) ? null : call };
}

/** The cards of the locators, then the callsigns as `hamkit call` shows them. */
function linesOf(texts: readonly Meaning[], footer: string, session: Session): string[] {
  const cards = texts.flatMap(({ locator }) => (locator === null ? [] : [locatorCard(locator, session)]));
  const calls = texts.flatMap(({ call }) => call ?? []);
  const both = texts.filter(({ locator, call }) => locator !== null && call !== null);
  const note = both.map(({ input }) =>
    session.ink("dim", `${input.trim().toUpperCase()} is also a callsign in form:`),
  );
  const blocks = [...cards, note, callLines(calls, footer, session)].filter((block) => block.length > 0);
  return blocks.flatMap((block, index) => (index === 0 ? block : [""].concat(block)));
}
