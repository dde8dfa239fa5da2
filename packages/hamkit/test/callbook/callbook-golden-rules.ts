/**
 * Why an answer from a callbook differs from the peer's. Each rule has a section of its name in docs/differences.md.
 *
 * A rule explains one difference by undoing it, so that what is left can be compared.
 */
import { isDeepStrictEqual } from "node:util";

/** One question to a callbook. `out` is what the peer made of the replies. */
export interface OnlineRow {
  readonly case: string;
  readonly replies: readonly string[];
  readonly http: readonly (number | null)[];
  readonly urls: readonly string[];
  readonly out: { readonly ok?: unknown; readonly err?: string; readonly msg?: string };
}

/** What we made of the same replies. */
export interface Outcome {
  readonly ok?: unknown;
  readonly error?: Error;
  readonly warnings: readonly string[];
  /** The addresses that were asked, after the login that begins each session of ours. */
  readonly urls: readonly string[];
}

interface Case extends Outcome {
  readonly row: OnlineRow;
}

type Fields = Record<string, unknown>;

/** Rules about a record: what it would be without the difference. */
const RECORD_RULES: readonly (readonly [name: string, undo: (ours: Fields, facts: Case) => Fields])[] = [
  [
    "every-field-of-the-callbook",
    (ours, { row }) =>
      without(ours, (key) => ["attn", "nickname", "name_fmt"].includes(key) && has(row, key)),
  ],
  ["fips-keeps-its-zero", (ours) => ("fips" in ours ? { ...ours, fips: Number(ours["fips"]) } : ours)],
  [
    "yes-is-yes",
    (ours, { row }) => ({
      ...ours,
      ...(has(row, "eqsl", "Y") && ours["eqsl"] === true && { eqsl: false }),
      ...(has(row, "mqsl", "Y") && ours["mqsl"] === true && { mqsl: false }),
    }),
  ],
  [
    "odd-values-are-kept",
    (ours, { warnings }) =>
      without(ours, (key, value) =>
        warnings.some((text) => text.includes(`${key} ${JSON.stringify(value)}`)),
      ),
  ],
  ["time-zones-with-minutes", (ours) => (ours["timezone"] === 5.75 ? { ...ours, timezone: 545 } : ours)],
];

/** Which errors we have where the peer has those of Python and of its libraries. */
const KINDS: Readonly<Record<string, string>> = {
  "qrz login error Username/password incorrect": "LoginError",
  "qrz login error Password incorrect": "LoginError",
  "qrz login error Connection refused": "LoginError",
  "qrz login error User not found": "LoginError",
  "qrz login html": "AnswerError",
  "qrz login timeout": "TimeoutError",
  "qrz timeout twice": "IOError",
};

/** What the service said, where it refused a login. */
function wordsOf({ case: name, out: { msg = "" } }: OnlineRow): string {
  return name.startsWith("qrz login error") ? msg : "";
}

/** Rules about everything else: whether this is such a case. */
const CASE_RULES: readonly (readonly [name: string, explains: (facts: Case) => boolean])[] = [
  [
    "login-with-the-first-question",
    ({ row, ok, urls }) => row.case === "qrz login ok" && ok !== undefined && urls.length === 1,
  ],
  [
    "callbook-errors-of-their-own-kind",
    ({ row, error }) =>
      error !== undefined && error.name === KINDS[row.case] && error.message.includes(wordsOf(row)),
  ],
  [
    "another-try-after-server-errors",
    ({ row, error, urls }) =>
      row.http[0] === 500 && error?.name === "IOError" && new Set(urls).size === 1 && urls.length === 3,
  ],
  [
    "empty-values-are-absent",
    ({ row, ok }) =>
      /<(dxcc|aliases)><\/\1>/.test(row.replies[0] ?? "") && isDeepStrictEqual(ok, { callsign: "XX1XX" }),
  ],
  [
    "serial-numbers",
    ({ row, ok }) =>
      row.out.err === "NameError" && isDeepStrictEqual(ok, { callsign: "XX1XX", serial: 3626 }),
  ],
  [
    "entities-by-number",
    ({ row, error, urls }) =>
      /dxcc=[A-Z]/.test(row.urls[0] ?? "") && error?.name === "TypeError" && urls.length === 0,
  ],
  [
    "sessions-are-renewed-for-entities-too",
    ({ row, ok, urls }) =>
      row.out.msg === "Session Key Missing" &&
      isDeepStrictEqual(ok, { adif: 291, country: "United States" }) &&
      urls.length === 3,
  ],
];

export const RULE_NAMES: readonly string[] = [...RECORD_RULES, ...CASE_RULES].map(([name]) => name);

/** "equal", the names of the rules that explain the difference, or `undefined` for a fault of ours. */
export function explain(row: OnlineRow, outcome: Outcome): readonly string[] | undefined {
  const facts = { row, ...outcome };
  const rule = CASE_RULES.find(([, explains]) => explains(facts))?.[0];
  if (rule === "entities-by-number") return [rule];
  const theirs = row.urls.map(withoutAgent);
  const ours = outcome.urls.map(withoutAgent);
  // What is asked beyond the peer is asked afterwards.
  if (!isDeepStrictEqual(rule ? ours.slice(0, theirs.length) : ours, theirs)) return undefined;
  if (rule) return [rule];
  if (row.out.err !== undefined) return outcome.error?.name === row.out.err ? ["equal"] : undefined;
  return outcome.ok === undefined ? undefined : explainRecord(facts);
}

function explainRecord(facts: Case): readonly string[] | undefined {
  let ours = inJson(facts.ok);
  const theirs = inJson(facts.row.out.ok);
  const names: string[] = [];
  for (const [name, undo] of RECORD_RULES) {
    if (isDeepStrictEqual(ours, theirs)) break;
    const undone = undo(ours, facts);
    if (!isDeepStrictEqual(undone, ours)) names.push(name);
    ours = undone;
  }
  if (!isDeepStrictEqual(ours, theirs)) return undefined;
  return names.length === 0 ? ["equal"] : names;
}

/** Path and parameters; the server is one of the test, and the program that asks is ours. */
function withoutAgent(url: string): unknown {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("agent");
  return [pathname, Object.fromEntries(searchParams)];
}

/** Dates as they were recorded. */
function inJson(value: unknown): Fields {
  const text = JSON.stringify(value);
  return JSON.parse(text.replaceAll(".000Z", "Z")) as Fields;
}

function has({ replies }: OnlineRow, element: string, text?: string): boolean {
  return replies.some((reply) =>
    reply.includes(text === undefined ? `<${element}>` : `<${element}>${text}<`),
  );
}

function without(fields: Fields, leaves: (key: string, value: unknown) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => !leaves(key, value)));
}
