/** Reads logs in JSON, as `writeLog` writes them. */
import type { Log, LogHeader, Qso } from "../log.js";
import { addProblem, noProblems } from "../problem-list.js";
import { createJsonScanner } from "./json-scanner.js";

/** Parses a log in JSON. */
export function readJson(text: string): Log {
  const problems = noProblems();
  const qsos: Qso[] = [];
  let header: LogHeader = { text: "", fields: [] };
  const scanner = createJsonScanner({
    header: (fields, free) => (header = { text: free, fields }),
    record: (fields, line) => qsos.push({ line, fields }),
    damage: (kind, message, line) => addProblem(problems, { line, kind, message }),
  });
  scanner.push(text);
  scanner.end();
  return { format: "json", header, qsos, ...problems };
}
