import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseAdif, repairAdif, undoRepairs, validateRecord, type AdifRecord } from "../../src/adif.js";

/** Faulty files written by hand, with their reading by the letter and their repair. */
interface Vector {
  readonly id: number;
  readonly fault: string;
  readonly level: "none" | "info" | "warning" | "error";
  readonly adi?: string;
  readonly adx?: string;
  readonly adiBase64?: string;
  readonly records: AdifRecord[] | null;
  readonly repaired?: AdifRecord[];
}

const vectors = readFileSync(new URL("faults.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Vector);

function inputOf({ adi, adx, adiBase64 }: Vector): string | Uint8Array {
  return adi ?? adx ?? Buffer.from(adiBase64 ?? "", "base64");
}

/** Results that intentionally differ, by rules of docs/differences.md. */
const DIFFERENCES: Readonly<Record<string, readonly number[]>> = {
  "contests-by-the-mode": [161],
  "frequencies-beside-their-band": [107, 108],
};

function differs(rule: keyof typeof DIFFERENCES, { id }: Vector): boolean {
  return DIFFERENCES[rule]?.includes(id) === true;
}

describe.each(vectors)("$id $fault", (vector) => {
  const input = inputOf(vector);
  const { records, findings } = parseAdif(input);

  it.skipIf(vector.records === null)("is read by the letter", () => {
    expect(records).toEqual(vector.records);
  });

  it.skipIf((vector.repaired ?? vector.records) === null || differs("contests-by-the-mode", vector))(
    "is repaired",
    () => {
      expect(repairAdif(input).records).toEqual(vector.repaired ?? vector.records);
    },
  );

  it("is reported under its name and level", () => {
    const found = [...findings, ...records.flatMap((record) => validateRecord(record))];
    const isOther = differs("frequencies-beside-their-band", vector);
    const own = found.filter(({ rule }) => !isOther || rule !== "band-frequency-conflict");
    expect(own.length).toBe(isOther ? found.length - 1 : found.length);
    const names = own.map(({ rule, level }) => `${level} ${rule}`);
    const isReported = names.includes(`${vector.level} ${vector.fault}`);
    expect({ names, isReported }).toEqual({
      names: vector.level === "none" ? [] : names,
      isReported: vector.level !== "none",
    });
  });

  it.skipIf(vector.records === null)("is restored when its repairs are undone", () => {
    const { records: repaired, repairs } = repairAdif(input);
    expect(undoRepairs(repaired, repairs)).toEqual(vector.records);
  });
});

it("contests-by-the-mode: the contest of SSB, where the vector has that of CW", () => {
  const vector = vectors.find((each) => differs("contests-by-the-mode", each));
  const [record] = vector === undefined ? [] : repairAdif(inputOf(vector)).records;
  expect([record?.["MODE"], record?.["CONTEST_ID"]]).toEqual(["SSB", "CQ-WW-SSB"]);
});
