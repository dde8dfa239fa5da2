/** `hamkit scp`: partial and similarity search in a list of contest calls. */
import { Option, type Command } from "commander";

import { IOError } from "../../../errors.js";
import { MAX_AGE_MS } from "../../../io/cache-ages.js";
import { createScpList, findByPart, findSimilar, type ScpList } from "../../../scp.js";
import { ageText, openPublicFile, type OpenedFile, type PublicFile } from "../../databases/public-file.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../../exit-code.js";
import { withInputLines } from "../../input/input-lines.js";
import { integerFrom } from "../../input/integer-option.js";
import type { Session, Report } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { printable } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit scp 1TW", shows: "calls that contain this part" },
  { line: "hamkit scp D?1TW", shows: "? is any one character; quote it in zsh" },
  { line: "hamkit scp DL1TW --near", shows: "calls at edit distance 1" },
  { line: "hamkit scp DL1TW --distance 2 --limit 20", shows: "up to edit distance 2; the best 20" },
  { line: "hamkit scp 1TW --file MASTER.SCP", shows: "in your own list" },
];

export function defineScpCommand(command: Command, session: Session): void {
  command
    .description(
      "Finds calls that contain a part, or that are similar to a call, in the list of contest calls of " +
        "supercheckpartial.com, which is cached for a week, or in your own list.",
    )
    .argument("<pattern...>", "letters, digits, / and ? for any one character; - reads standard input")
    .option("--near", "similarity search: insertions, deletions, substitutions, swaps of adjacent characters")
    .addOption(
      new Option("--distance <changes>", "with --near: maximum edit distance; default 1")
        .choices(["1", "2"])
        .implies({ near: true }),
    )
    .option(
      "--limit <number>",
      "maximum number of calls per pattern; default 50",
      integerFrom(1, 1_000_000_000),
    )
    .option("--file <path>", "search this list: a file with one call per line, or its http address")
    .option("--offline", "search the cached list, whatever its age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (patterns: string[], options: ScpOptions) => {
      session.present(await reportScp(patterns, options, session), options);
    });
}

interface ScpOptions {
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

/** The calls for each pattern; "-" stands for the patterns on standard input. */
async function reportScp(words: readonly string[], options: ScpOptions, session: Session): Promise<Report> {
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
  maxAgeMs: MAX_AGE_MS.partialCalls,
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
