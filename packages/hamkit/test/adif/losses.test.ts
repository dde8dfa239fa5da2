/** Nothing vanishes from a log: what a reader does not return is in its problems, in each reader alike. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, repairAdif, type AdifFileFinding } from "../../src/adif.js";
import { readLog } from "../../src/logs.js";

/** The texts of values, each once in a log. */
const VALUES = [
  "DH1TW",
  "W1AW",
  "EA5XYZ",
  "20240101",
  "20240202",
  "1201",
  "1302",
  "FT8",
  "20m",
  "40m",
  "Jörg Läufer",
  "JN48",
  "599 x",
];

const RECORDS = [
  [
    ["CALL", "DH1TW"],
    ["QSO_DATE", "20240101"],
    ["TIME_ON", "1201"],
    ["BAND", "20m"],
    ["MODE", "FT8"],
  ],
  [
    ["CALL", "W1AW"],
    ["QSO_DATE", "20240202"],
    ["TIME_ON", "1302"],
    ["NAME", "Jörg Läufer"],
  ],
  [
    ["CALL", "EA5XYZ"],
    ["BAND", "40m"],
    ["GRIDSQUARE", "JN48"],
    ["RST_SENT", "599 x"],
  ],
] as const;

const utf8Length = (text: string) => new TextEncoder().encode(text).length;

const LOGS = {
  adi: `a log\n<EOH>\n${RECORDS.map((fields) => `${fields.map(([name, value]) => `<${name}:${utf8Length(value)}>${value}`).join(" ")}<EOR>`).join("\n")}\n`,
  adx: `<?xml version="1.0"?><ADX><RECORDS>${RECORDS.map((fields) => `<RECORD>${fields.map(([name, value]) => `<${name}>${value}</${name}>`).join("")}</RECORD>`).join("\n")}</RECORDS></ADX>`,
  json: `{"qsos":[\n${RECORDS.map((fields) => JSON.stringify(Object.fromEntries(fields))).join(",\n")}\n]}`,
};

/** The fields that have a value. */
const namesOf = (value: string) =>
  RECORDS.flatMap((fields) => fields.flatMap(([name, text]) => (text === value ? [name] : [])));

/** A change of a text at a place: a character is lost, doubled or replaced, or a stretch is lost. */
const MUTATION = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  kind: fc.constantFrom("drop", "double", "replace", "cut", "end"),
  length: fc.integer({ min: 1, max: 12 }),
  character: fc.constantFrom("<", ">", ":", "/", '"', "{", "}", ",", " ", "x", "9", "&", "Ö", "\n"),
});
type Mutation = typeof MUTATION extends fc.Arbitrary<infer Value> ? Value : never;

function mutated(text: string, mutations: readonly Mutation[]): string {
  return mutations.reduce((before, { at, kind, length, character }) => {
    const index = Math.floor(at * before.length);
    const [front, back] = [before.slice(0, index), before.slice(index)];
    if (kind === "drop") return front + back.slice(1);
    if (kind === "double") return front + back.slice(0, length) + back;
    if (kind === "replace") return front + character + back.slice(1);
    return kind === "cut" ? front + back.slice(length) : front;
  }, text);
}

/** What a reader reports as lost or wrong. */
interface Problem {
  readonly message: string;
  /** From 1. */
  readonly line?: number | undefined;
  /** From 0. */
  readonly record?: number | undefined;
  readonly field?: string | undefined;
  /** Everything behind its place may be lost. */
  readonly isEnd?: boolean;
}

/** What a reader returned, and reported. */
interface Reading {
  /** Names and values of the header and of each record. */
  readonly header: string;
  readonly records: readonly string[];
  readonly problems: readonly Problem[];
}

/** Damage after which a reader stops, and files that are no logs. */
const ENDS =
  /nothing behind it is read|^the document ends|truncated|nested deeper|closes nothing|neither ADI nor ADX nor JSON|expected a log|well-formed XML|^the root element|ends within|no records/;

/** What a value of JSON that is not as expected holds is lost, on its line and behind it. */
const SPANS = /expected a text|expected an object|not an object of texts|left out|unexpected value/;

const problemsOf = (findings: readonly AdifFileFinding[]): Problem[] =>
  findings
    .filter(({ level }) => level !== "info")
    .map(({ message, line, record, field }) => {
      const [, written] = /^line (\d+)/.exec(message) ?? [];
      const place = line ?? (written === undefined ? undefined : Number(written));
      return { message, line: place, record, field, isEnd: ENDS.test(message) };
    });

const textOf = (fields: object) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join("\n");

const READERS: Readonly<Record<string, (text: string) => Promise<Reading>>> = {
  async readLog(text) {
    try {
      const { header, qsos, problems } = await readLog(text);
      const [first = "", ...records] = [header, ...qsos].map(({ fields }) =>
        fields.map(({ name, value }) => `${name} ${value}`).join("\n"),
      );
      return {
        header: `${header.text}\n${first}`,
        records,
        problems: problems.map(({ line, kind, message }) => ({ line, message, isEnd: kind === "end" })),
      };
    } catch (error) {
      const [, line] = /line (\d+)/.exec(String(error)) ?? [];
      const place = line === undefined ? {} : { line: Number(line) };
      // It has read nothing.
      return {
        header: "",
        records: [],
        problems: [{ message: String(error), ...place, line: 1, isEnd: true }],
      };
    }
  },
  async parseAdif(text) {
    const { header, records, findings } = parseAdif(text);
    return {
      header: `${header.text}\n${textOf(header.fields)}`,
      records: records.map(textOf),
      problems: problemsOf(findings),
    };
  },
  async readAdif(text) {
    const bytes = new TextEncoder().encode(text);
    const findings: AdifFileFinding[] = [];
    const records: string[] = [];
    let headerText = "";
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    for await (const { record, header } of readAdif(pieces, {
      onFinding: (finding) => findings.push(finding),
    })) {
      records.push(textOf(record));
      headerText = `${header.text}\n${textOf(header.fields)}`;
    }
    return { header: headerText, records, problems: problemsOf(findings) };
  },
  async repairAdif(text) {
    const { header, records, findings, repairs } = repairAdif(text);
    return {
      header: `${header.text}\n${textOf(header.fields)}`,
      records: records.map(textOf),
      problems: [
        ...problemsOf(findings),
        ...repairs.map(({ rule, record, field, before }) => ({
          message: `${rule} ${before ?? ""}`,
          record,
          field,
        })),
      ],
    };
  },
};

/** A value that a text has more often than what was read of it. */
interface Loss {
  readonly value: string;
  /** The lines of the text that have it. */
  readonly lines: readonly number[];
}

function losses(text: string, { header, records }: Reading): Loss[] {
  const read = [header, ...records].join("\n");
  const lines = text.split("\n");
  return VALUES.filter((value) => text.split(value).length > read.split(value).length).map((value) => ({
    value,
    lines: lines.flatMap((line, index) => (line.includes(value) ? [index + 1] : [])),
  }));
}

/** Whether a problem tells of a loss: by the value, by its field or its place, or as the end of what was read. */
function tells({ message, line, record, field, isEnd = false }: Problem, { value, lines }: Loss): boolean {
  if (message.includes(value)) return true;
  const [, begin] = /what begins in line (\d+)/.exec(message) ?? [];
  if (message.includes("must contain a root element")) return true;
  if (begin !== undefined) return lines.some((at) => at >= Number(begin));
  if (isEnd || SPANS.test(message)) return line === undefined || lines.some((at) => at >= line - 1);
  // A damaged line end moves a value to the line beside.
  if (line !== undefined) return lines.some((at) => Math.abs(at - line) <= 1);
  // A damaged mark joins or divides records.
  const home = RECORDS.findIndex((fields) => fields.some(([, text]) => text === value));
  if (record !== undefined) return Math.abs(record - home) <= 1;
  return namesOf(value).some((name) => name === field || new RegExp(`\\b${name}\\b`).test(message));
}

// Fixed: where a text had less characters than a length beyond ASCII, and began with a blank, counting them did not end.
it("a length of more characters than the text has ends, also where the text begins with a blank", () => {
  const text = "\n<CALL:4>W1AW<NAME:14>J\u00F6rg <EOR>x<EOR>";
  expect(parseAdif(text).records[0]).toMatchObject({ CALL: "W1AW" });
});

// Fixed: the tag within a value whose length counts characters ended it, so that a field within became one of the record.
it.each([0, 100, 2050, 5000])(
  "a length in characters holds with a tag inside: %d characters more",
  async (more) => {
    const value = `\u00D6 <CALL:4>K1AB <EOR> l\u00E4uft${"x".repeat(more)}`;
    const text = `<CALL:4>W1AW<COMMENT:${value.length}>${value}<EOR>\n`;
    const expected = { CALL: "W1AW", COMMENT: value };
    expect(parseAdif(text).records).toEqual([expected]);
    const { qsos } = await readLog(text);
    expect(
      qsos.map(({ fields }) => Object.fromEntries(fields.map(({ name, value: read }) => [name, read]))),
    ).toEqual([expected]);
  },
);

// Fixed: a JSON document that was cut in a record of several lines named only the line of its end.
it("a cut document names the line where the lost record begins", async () => {
  const text = `{"qsos":[\n{"CALL":"DH1TW"},\n{"CALL":"W1AW",\n"BAND":"20m"`;
  const message = "the document ends within a value: it may be truncated; what begins in line 3 is left out";
  expect((await readLog(text)).problems).toEqual([{ line: 4, kind: "end", message }]);
  expect(parseAdif(text).findings).toMatchObject([{ message: `line 4: ${message}` }]);
});

describe.each(Object.entries(LOGS))("a damaged log in %s", (_format, log) => {
  it.each(Object.entries(READERS))(
    "loses no value in %s without a problem that tells of it",
    async (_reader, read) => {
      await fc.assert(
        fc.asyncProperty(fc.array(MUTATION, { minLength: 1, maxLength: 2 }), async (mutations) => {
          const text = mutated(log, mutations);
          const reading = await read(text);
          const lost = losses(text, reading).filter(
            (loss) => !reading.problems.some((problem) => tells(problem, loss)),
          );
          expect({ text, lost, problems: lost.length > 0 ? reading.problems : [] }).toEqual({
            text,
            lost: [],
            problems: [],
          });
        }),
        { numRuns: Number(process.env["LOSS_RUNS"] ?? 300) },
      );
    },
  );
});

/** Rules of findings by which a log has lost something, whatever ends a value of a wrong length. */
const LOSSES =
  /^(?:adx-encoding|adx-unexpected|colon-missing|eoh-missing|eor-missing|header-in-the-middle|html-instead-of-adif|json-cut|json-malformed|length-(?:missing|negative|not-a-number)|not-adif|tag-damaged|text-in-record)$/;

// Fixed: parseAdif did not report text before the first record without a header, which readLog did.
it.each(Object.entries(LOGS))(
  "readLog and parseAdif report the same losses of a log in %s",
  async (_format, log) => {
    await fc.assert(
      fc.asyncProperty(fc.array(MUTATION, { minLength: 1, maxLength: 2 }), async (mutations) => {
        const text = mutated(log, mutations);
        const { findings } = parseAdif(text);
        // A wrong length leaves other text behind its value in each reader.
        if (findings.some(({ rule }) => rule.startsWith("length-too"))) return;
        const read = await readLog(text).catch(() => undefined);
        if (read === undefined) {
          if (text.trim() === "" || findings.some(({ level }) => level === "error")) return;
          throw new Error(`only readLog refuses ${JSON.stringify(text)}`);
        }
        const lost = findings
          .filter(({ rule }) => LOSSES.test(rule))
          .map(({ message }) => message.replace(/^line .*?: /, ""));
        const problems = read.problems.map(({ message }) => message);
        const own = problems.filter((message) => !message.includes("occurs twice with different values"));
        expect({ text, problems: own.toSorted() }).toEqual({ text, problems: lost.toSorted() });
      }),
      { numRuns: Number(process.env["LOSS_RUNS"] ?? 300) },
    );
  },
);
