import { describe, expect, it } from "vitest";
import { AttributeError, ValueError } from "../../src/errors.js";
import { calculateSunriseSunset, type SunTimes } from "../../src/locator.js";
import { goldenRows, hasGolden } from "../golden.js";

type Kind = keyof SunTimes;
const KINDS: readonly Kind[] = ["morning_dawn", "sunrise", "evening_dawn", "sunset"];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A row of the peer's answers: what it says, and each event on its own by the standard definitions. */
interface SunRow {
  readonly locator: string;
  readonly date: string;
  readonly out: { readonly ok?: Record<Kind, string | null> };
  readonly events: Record<string, string>;
}

/** hamkit's names for the recorded events: an ISO time, or "always_up" or "never_up". */
const RECORDED: Readonly<Record<Kind, string>> = {
  morning_dawn: "dawn_usno",
  sunrise: "rise_limb34",
  evening_dawn: "dusk_usno",
  sunset: "set_limb34",
};

describe.skipIf(!hasGolden)("sun times beside the recorded events", () => {
  const rows = hasGolden ? goldenRows<SunRow>("sun") : [];
  const recorded = (row: SunRow, kind: Kind) => Date.parse(row.events[RECORDED[kind]] ?? "");

  it.each([
    ["morning_dawn", 776],
    ["sunrise", 790],
    ["evening_dawn", 776],
    ["sunset", 790],
  ] as const)(
    "has every %s within 0.5 s, half of them within 0.03 s, and null for all others",
    (kind, count) => {
      const errors: number[] = [];
      for (const row of rows) {
        const found = calculateSunriseSunset(row.locator, new Date(row.date))[kind];
        const expected = recorded(row, kind);
        expect.soft(found === null, `${row.locator} ${row.date}`).toBe(Number.isNaN(expected));
        if (found !== null) errors.push(Math.abs(found.getTime() - expected) / 1000);
      }
      errors.sort((a, b) => a - b);
      expect(rows).toHaveLength(1000);
      expect(errors).toHaveLength(count);
      expect(errors[Math.floor(count * 0.5)]).toBeLessThan(0.03);
      expect(errors[Math.floor(count * 0.95)]).toBeLessThan(0.1);
      expect(errors.at(-1)).toBeLessThan(0.5);
    },
  );

  it("explains every difference from the peer's result by the rules in docs/differences.md", () => {
    const counts = { nothing: 0, hidden: 0, swapped: 0, nextDay: 0 };
    for (const row of rows) {
      const theirs = row.out.ok ?? { morning_dawn: null, sunrise: null, evening_dawn: null, sunset: null };
      const ours = calculateSunriseSunset(row.locator, new Date(row.date));
      if (theirs.sunrise === null) {
        if (KINDS.every((kind) => ours[kind] === null)) counts.nothing += 1;
        else counts.hidden += 1;
        continue;
      }
      // Its refraction shifts events by seconds to half an hour, once over the moment asked for: then they are a
      // day apart. Which is which is plain from the order of sunset and dusk.
      const apart = [
        Number(ours.morning_dawn) - Date.parse(theirs.morning_dawn ?? ""),
        Number(ours.sunrise) - Date.parse(theirs.sunrise),
        Number(ours.sunset) - Date.parse(theirs.evening_dawn ?? ""),
        Number(ours.evening_dawn) - Date.parse(theirs.sunset ?? ""),
      ].map(Math.abs);
      for (const ms of apart) expect.soft(Math.min(ms, Math.abs(ms - DAY))).toBeLessThan(HOUR / 2);
      if (Math.max(...apart) > DAY / 2) counts.nextDay += 1;
      counts.swapped += 1;
    }
    expect(counts).toEqual({ nothing: 182, hidden: 71, swapped: 747, nextDay: 1 });
  });
});

/** A call with an unusual date or locator. */
interface CallRow {
  readonly case: string;
  readonly in: readonly [string | null, unknown];
  readonly out: { readonly ok?: Record<Kind, string>; readonly err?: string };
}

describe.skipIf(!hasGolden)("sun times beside the recorded calls with unusual arguments", () => {
  const rows = hasGolden ? goldenRows<CallRow>("sun_errors") : [];
  const answered = rows.filter(({ out }) => out.ok !== undefined);
  const refused = rows.filter(({ out }) => out.err !== undefined);

  it("are those of the peer within two minutes of refraction, also in the years 1, 1800 and 9999: 7 rows", () => {
    expect(answered).toHaveLength(7);
    for (const { case: name, in: input, out } of answered) {
      const date = String(input[1]);
      const ours = calculateSunriseSunset(String(input[0]), new Date(date.endsWith("Z") ? date : `${date}Z`));
      // The peer swaps the names of sunset and dusk.
      const peer = [out.ok?.morning_dawn, out.ok?.sunrise, out.ok?.sunset, out.ok?.evening_dawn];
      const apart = KINDS.map((kind, i) => Math.abs(Number(ours[kind]) - Date.parse(peer[i] ?? "")));
      expect.soft(Math.max(...apart), name).toBeLessThan(120_000);
    }
  });

  it("refuse what the peer rejects, except for a subclass of the date (subclasses-of-date-are-dates: 1 row)", () => {
    const same = refused.filter(({ case: name }) => name !== "subclass");
    expect([refused.length, same.length]).toEqual([6, 5]);
    for (const { case: name, in: input, out } of same) {
      const date = name.endsWith("loc") ? new Date(String(input[1])) : input[1];
      const expected = { AttributeError, ValueError }[out.err ?? ""];
      expect.soft(() => calculateSunriseSunset(input[0] as string, date as Date), name).toThrow(expected);
    }
    class Moment extends Date {}
    expect(calculateSunriseSunset("JN48QM", new Moment("2014-01-01T00:00Z")).sunrise).toBeInstanceOf(Date);
  });
});
