/** The work of `hamkit spots`: each line is answered before the next one is waited for. */
import { locatorToPosition } from "../../geo/locator.js";
import type { TableSource } from "../../lookup/source.js";
import { annotateSpot, decodeSpot, type ClusterLine } from "../../spots.js";
import { openTable } from "../databases/callsign-database.js";
import { dataText } from "../reports/data-text.js";
import { exitCodeOf, problemOf } from "../exit-code.js";
import { streamLines } from "./input-lines.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import { toJson, type Session } from "../session.js";
import { spotDocument } from "../reports/spot-document.js";
import { bulletinText, spotHead, spotRow } from "../reports/spot-text.js";
import { toPrintable } from "../terminal/terminal.js";

export interface SpotsOptions extends LookupOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** How lines are written. */
interface Writer {
  begin(): readonly string[];
  write(line: ClusterLine): string;
  end(): readonly string[];
}

/** Answers the lines of standard input as they come, until they end or nobody reads the answers any longer. */
export async function streamSpots(options: SpotsOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "from", "center"); // throws what the first spot would
    const table = await openTable(options, session);
    await answerLines(
      json ? jsonWriter(table, options) : textWriter(table, options, session),
      options,
      session,
    );
  } catch (failure) {
    if (!json) throw failure;
    // A line like all others, for readers that take them one by one.
    const error = problemOf(failure);
    session.print([toJson({ error }, 0)]);
    session.finish(exitCodeOf(error));
  }
}

async function answerLines(writer: Writer, { at }: SpotsOptions, { io, print }: Session): Promise<void> {
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
