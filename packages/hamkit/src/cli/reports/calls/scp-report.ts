/** The output of `hamkit scp`: calls only, so that other programs can read them, or JSON. */
import { IOError } from "../../../errors.js";
import { createScpList, findByPart, findSimilar, type ScpList } from "../../../scp.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../../query-result.js";
import { withInputLines } from "../../input/input-lines.js";
import { ageText, openPublicFile, type OpenedFile, type PublicFile } from "../../databases/public-file.js";
import type { Report, Session } from "../../session.js";
import { printable } from "../../terminal/text-table.js";

export interface ScpOptions {
  readonly near?: boolean;
  readonly distance?: "1" | "2";
  readonly limit?: number;
  readonly file?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
}

/** A matching call. */
interface Match {
  readonly call: string;
  /** Edit distance to the pattern; absent in partial searches. */
  readonly distance?: number;
}

/** A pattern with matching calls. */
interface Search {
  /** The pattern as it was given. */
  readonly input: string;
  /** Best first. */
  readonly calls: readonly Match[];
  /** Whether the limit omits further calls. */
  readonly more: boolean;
}

const DEFAULT_LIMIT = 50;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The calls for each pattern; "-" stands for the patterns on standard input. */
export async function reportScp(
  words: readonly string[],
  options: ScpOptions,
  session: Session,
): Promise<Report> {
  const patterns = await withInputLines(words, session.io.stdin);
  const file = await openPublicFile(MASTER_SCP, { from: options.file, offline: options.offline }, session);
  const searches = patterns.map((pattern) => search(file.value, pattern, options));
  const { name: source, checkedAt = null, value: list } = file;
  return {
    document: {
      data: { source, checkedAt, date: list.date ?? null, calls: list.calls.length },
      searches,
    },
    lines: () => textOf(searches, file, session),
    errors: errorLines(searches, "patterns"),
    exitCode: worstExitCode(searches),
  };
}

const MASTER_SCP: PublicFile<ScpList> = {
  title: "the list of calls",
  cacheName: "master-scp",
  url: "http://www.supercheckpartial.com/MASTER.SCP",
  maxAgeMs: WEEK_MS,
  maxBytes: 16 * 1024 * 1024,
  read: readList,
};

async function readList(name: string, content: Uint8Array): Promise<ScpList> {
  try {
    const list = createScpList(new TextDecoder().decode(content));
    if (list.calls.length > 0) return list;
  } catch (cause) {
    throw new IOError(name, "expected a list with a callsign on each line", { cause });
  }
  throw new IOError(name, "the list has no callsigns");
}

/** The characters of partial patterns and of calls. */
const PART = /^[A-Z0-9/?]+$/i;
const CALL = /^[A-Z0-9/]+$/i;

function search(list: ScpList, input: string, options: ScpOptions): QueryResult<Search> {
  const { near = false, limit = DEFAULT_LIMIT } = options;
  const quoted = JSON.stringify(input);
  const pattern = input.trim();
  if (!(near ? CALL : PART).test(pattern)) {
    const expected = near ? "letters, digits and /" : "letters, digits, / and ? for any one character";
    return { input, error: { code: "argument/invalid", message: `pattern: ${quoted} is not ${expected}` } };
  }
  // One more than the limit, to detect further matches.
  const found = near ? findNear(list, pattern, limit + 1, options) : findParts(list, pattern, limit + 1);
  if (found.length === 0) {
    const message = near
      ? `no call in the list is similar to ${quoted}`
      : `no call in the list contains ${quoted}`;
    return { input, error: { code: "lookup/no-match", message } };
  }
  return { input, calls: found.slice(0, limit), more: found.length > limit };
}

function findParts(list: ScpList, pattern: string, limit: number): Match[] {
  return findByPart(list, pattern, { limit }).map((call) => ({ call }));
}

function findNear(list: ScpList, pattern: string, limit: number, { distance }: ScpOptions): Match[] {
  return findSimilar(list, pattern, { limit, distance: distance === "2" ? 2 : 1 });
}

/** In columns on a terminal; otherwise one call per line, with all other lines prefixed by #. */
function textOf(
  searches: readonly QueryResult<Search>[],
  file: OpenedFile<ScpList>,
  { ink, io }: Session,
): string[] {
  const lines = searches.flatMap((one) => {
    const heading = searches.length > 1 ? [ink("bold", `# ${printable(one.input)}`)] : [];
    if (isFailure(one))
      return searches.length > 1 ? [...heading, `# ${printable(one.error.message, 160)}`] : [];
    const calls = io.stdout.isTerminal
      ? groupLines(one, io.stdout.columns)
      : one.calls.map(({ call }) => call);
    const note = one.more
      ? [ink("dim", `# More calls match; --limit raises the maximum of ${one.calls.length}.`)]
      : [];
    return [...heading, ...calls, ...note];
  });
  if (!io.stdout.isTerminal || lines.length === 0) return lines;
  const { date, calls } = file.value;
  const dated = date === undefined ? "" : ` of ${date}`;
  return [...lines, "", ink("dim", `Data: ${calls.length} calls${dated}, ${ageText(file)}`)];
}

/** The calls in columns; similar calls grouped by distance. */
function groupLines({ calls }: Search, width = 80): string[] {
  const [first] = calls;
  if (first?.distance === undefined) return inColumns(calls, width);
  return DISTANCES.flatMap((title, distance) => {
    const group = calls.filter((one) => one.distance === distance);
    return group.length === 0 ? [] : [`${title}:`].concat(inColumns(group, width));
  });
}

const DISTANCES = ["Exact match", "Distance 1", "Distance 2"];

function inColumns(calls: readonly Match[], width: number): string[] {
  const cell = Math.max(...calls.map(({ call }) => call.length)) + 2;
  const perLine = Math.max(1, Math.floor(width / cell));
  const lines: string[] = [];
  for (let at = 0; at < calls.length; at += perLine) {
    const cells = calls.slice(at, at + perLine).map(({ call }) => call.padEnd(cell));
    lines.push(cells.join("").trimEnd());
  }
  return lines;
}
