import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readFle } from "../../../src/logs/fle/fle-reader.js";
import { fieldValue } from "../../../src/logs/log.js";

/** Words of logs, damaged words, and marks that open or close something. */
const WORD = fc.oneof(
  fc.constantFrom(
    ..."mycall operator qslmsg date day wwff sota + ++ { } < > [ ] # @ , . / - ,++ ,-".split(" "),
  ),
  fc.constantFrom(
    ..."20m 40m 2m 70cm cw ssb ft8 14.060 7.1 99.9 59 5 449 -10 1200 40 2 1860 2400 005".split(" "),
  ),
  fc.constantFrom(
    ..."w1aw dl1abc/p ea8/dh1tw 9a4ab jo62 #jo50 @Ann gff-0002 dl/al-093 k-0003 ,33 .14 ,jn48".split(" "),
  ),
  fc.constantFrom(..."2024-06-01 24/6/1 2024-13-01 w1a? xyz 599599 <tnx> [qsl] {remark}".split(" ")),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const LINE = fc.array(WORD, { maxLength: 7 }).map((words) => words.join(" "));
const TEXT = fc
  .tuple(fc.array(LINE, { maxLength: 40 }), fc.constantFrom("\n", "\r\n", "\r"))
  .map(([lines, end]) => lines.join(end));
const OPTIONS = fc.record({ interpolateTimes: fc.boolean(), consecutiveNumbers: fc.boolean() });

const RUNS = { numRuns: 2000, seed: 20260401 };

describe("any text read as FLE", () => {
  it("has QSOs with a call and a valid time, in ascending lines", () => {
    fc.assert(
      fc.property(TEXT, OPTIONS, (text, options) => {
        const { qsos, problems, problemCount } = readFle(text, options);
        let before = 0;
        for (const qso of qsos) {
          expect(qso.line).toBeGreaterThan(before);
          before = qso.line;
          expect(fieldValue(qso, "CALL")).toMatch(/^[A-Z\d/]+$/);
          expect(fieldValue(qso, "TIME_ON")).toMatch(/^(?:[01]\d|2[0-3])[0-5]\d$/);
          expect(fieldValue(qso, "QSO_DATE") ?? "20240601").toMatch(/^(?:19|20)\d{6}$/);
          expect(new Set(qso.fields.map(({ name }) => name)).size).toBe(qso.fields.length);
          for (const { value } of qso.fields) expect(value).not.toBe("");
        }
        expect(problemCount).toBe(problems.length);
      }),
      RUNS,
    );
  });

  it("loses no line: each one that is no remark is a QSO or a line of the header", () => {
    // Without braces, since what is between them is left out.
    const open = TEXT.map((text) => text.replaceAll(/[{}]/g, ""));
    fc.assert(
      fc.property(open, (text) => {
        const { qsos, header } = readFle(text);
        const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim());
        const ofQsos = new Set(qsos.map(({ line }) => line));
        const others = lines.filter(
          (line, index) => line !== "" && !line.startsWith("#") && !ofQsos.has(index + 1),
        );
        expect(header.text).toBe(others.join("\n"));
      }),
      RUNS,
    );
  });

  it("loses no word of a QSO: each is a field, or a problem and a field", () => {
    const words = fc.array(fc.constantFrom("xyz", "59x", "#jo5", "w1aw", "onff-3", "699", "9:99"), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, (unknown) => {
        const { qsos, problems } = readFle(
          `mycall dl0xyz\n2024-06-01 20m cw\n1200 dh1tw ${unknown.join(" ")}`,
        );
        const kept = qsos.flatMap((qso) => fieldValue(qso, "APP_HAMKIT_FLE")?.split(" ") ?? []);
        expect(kept.toSorted()).toEqual(unknown.toSorted());
        expect(problems.filter(({ line }) => line === 3)).toHaveLength(unknown.length);
      }),
      { ...RUNS, numRuns: 300 },
    );
  });

  it("has times that ascend within a date, or a problem with the line", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const { qsos, problems } = readFle(text);
        const reported = new Set(problems.map(({ line }) => line));
        const value = (index: number, name: string) => {
          const qso = qsos[index];
          return qso === undefined ? "" : (fieldValue(qso, name) ?? "");
        };
        const silent = qsos.filter(
          ({ line }, index) =>
            index > 0 &&
            value(index - 1, "QSO_DATE") === value(index, "QSO_DATE") &&
            value(index, "TIME_ON") < value(index - 1, "TIME_ON") &&
            !reported.has(line),
        );
        expect(silent).toEqual([]);
      }),
      RUNS,
    );
  });

  it("has interpolated times in the order of the QSOs of a date", () => {
    const steps = fc.array(fc.record({ isTimed: fc.boolean(), minutes: fc.nat(30) }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (all) => {
        let minute = 60;
        const lines = all.map(({ isTimed, minutes }) => {
          minute = Math.min(minute + minutes, 1439);
          const time = `${Math.floor(minute / 60)}`.padStart(2, "0") + `${minute % 60}`.padStart(2, "0");
          return isTimed ? `${time} w1aw` : "w1aw";
        });
        const text = ["mycall dl0xyz", "2024-06-01 20m cw", "0100 w1aw", ...lines].join("\n");
        const times = readFle(text, { interpolateTimes: true }).qsos.map(
          (qso) => fieldValue(qso, "TIME_ON") ?? "",
        );
        expect(times).toEqual(times.toSorted());
        expect(times).toHaveLength(all.length + 1);
      }),
      RUNS,
    );
  });
});

describe("damage in a log in FLE", () => {
  const QSOS = [
    "1200 w1aw",
    "2 dh1tw 5 7",
    "40m",
    "ja1abc @Ken",
    "day +",
    "0001 vk2abc <fine>",
    "ssb 14.250 5 ea8/dl1abc 44 55",
    "20 w1ab ,5 .7",
    "g3ab #io91 gm/ss-001",
  ];
  const LOG = ["mycall dl0xyz", "mysota dm/bw-001", "2024-06-01 20m cw", ...QSOS].join("\n");

  it("changes no QSO of the lines before it", () => {
    const whole = readFle(LOG).qsos;
    const damages = fc.record({
      from: fc.nat(LOG.length),
      lost: fc.nat(30),
      added: fc.oneof(
        fc.string({ maxLength: 20, unit: "binary" }),
        LINE,
        fc.constantFrom("\n", "{", "}", "<", "\r"),
      ),
    });
    fc.assert(
      fc.property(damages, ({ from, lost, added }) => {
        const { qsos } = readFle(LOG.slice(0, from) + added + LOG.slice(from + lost));
        const line = LOG.slice(0, from).split("\n").length;
        // A keyword that is nowhere else is valid for the whole log.
        const isKeyword = /operator|qslmsg|mycall/i.test(added);
        const before = ({ line: at }: (typeof whole)[number]) => at < line && !isKeyword;
        expect(qsos.filter(before)).toEqual(whole.filter(before));
      }),
      RUNS,
    );
  });
});

describe("hostile texts read as FLE", () => {
  const HEAD = "mycall dl0xyz\n2024-06-01 20m cw\n1200 w1aw\n";
  const SIZE = 2_000_000;
  it.each([
    ["words of one line", "w1aw ".repeat(SIZE / 5)],
    ["open remarks", "{".repeat(SIZE)],
    ["open remarks behind a closed one", `}${"{".repeat(SIZE)}`],
    ["remarks", "{}".repeat(SIZE / 2)],
    ["lines of open remarks", "{\n".repeat(SIZE / 2)],
    ["lines of remarks within one", `${"{\n".repeat(SIZE / 2)}}`],
    ["open comments", `${"<".repeat(4000)}\n`.repeat(SIZE / 4000)],
    ["words of lines", `1200 w1aw ${"x ".repeat(1900)}\n`.repeat(SIZE / 3800)],
    ["exchanges", `1200 w1aw ${",".repeat(4000)}\n`.repeat(SIZE / 4000)],
    ["days", "day +++++++++\n".repeat(SIZE / 14)],
    ["keywords", "mysota g/ld-008\nw1aw\n".repeat(SIZE / 21)],
    ["empty lines", "\n".repeat(SIZE)],
  ])(
    "%s take time and memory that grow with their length",
    (_, text) => {
      const before = performance.now();
      const { problems } = readFle(HEAD + text);
      // A hundred times what it takes; by the square of the length it would be days.
      expect(performance.now() - before).toBeLessThan(60_000);
      expect(problems.length).toBeLessThanOrEqual(1000);
    },
    120_000,
  );
});
