import { describe, expect, it } from "vitest";

import { entriesOf, valueAt, withValue, type Entry } from "../../src/lookup/dated-entries.js";

describe("values with periods", () => {
  it("hold at both ends of their period, by whole seconds", () => {
    const entry = withValue<string>(undefined, { value: "a", start: 10_000, end: 20_000 });
    const held = [9999, 10_000, 20_000, 20_999, 21_000].map((at) => valueAt(entry, at));
    expect(held).toEqual([undefined, "a", "a", "a", undefined]);
  });

  it("hold from ever and for ever where an end is left out", () => {
    expect(valueAt(withValue<string>(undefined, { value: "a" }), -1e15)).toBe("a");
  });

  it("count by the lowest number where several hold, in whatever order they were added", () => {
    const first = { value: "first", id: 10, end: 5000 };
    const second = { value: "second", id: 20 };
    const third = { value: "third", id: 30 };
    for (const order of [
      [first, second, third],
      [third, second, first],
      [second, third, first],
    ]) {
      let entry: Entry<string> | undefined;
      for (const added of order) entry = withValue(entry, added);
      expect([valueAt(entry, 5000), valueAt(entry, 6000)]).toEqual(["first", "second"]);
    }
  });

  it("count before one without a period, whatever their numbers (dated-entries-first)", () => {
    const always = { value: "always", id: 1 };
    const since = { value: "since", id: 20, start: 1000 };
    const until = { value: "until", id: 10, end: 2000 };
    for (const order of [
      [always, since, until],
      [until, since, always],
      [since, always, until],
    ]) {
      let entry: Entry<string> | undefined;
      for (const added of order) entry = withValue(entry, added);
      expect([0, 2000, 3000].map((at) => valueAt(entry, at))).toEqual(["until", "until", "since"]);
      expect(valueAt(withValue(withValue<string>(undefined, always), { ...until, id: 30 }), 9000)).toBe(
        "always",
      );
    }
  });

  it("count by the order of adding where they have no numbers", () => {
    const entry = withValue(withValue<string>(undefined, { value: "first" }), { value: "second" });
    expect(valueAt(entry, 0)).toBe("first");
    expect(valueAt(withValue("for ever", { value: "later" }), 0)).toBe("for ever");
  });

  it("are listed one by one, with their periods", () => {
    const two = withValue(withValue<string>(undefined, { value: "b", start: 1 }), { value: "c", id: 7 });
    const entries = entriesOf<string>([
      ["A", "for ever"],
      ["B", two],
    ]);
    expect([...entries]).toEqual([
      { key: "A", value: "for ever" },
      { key: "B", value: "b", start: 1 },
      { key: "B", value: "c", id: 7 },
    ]);
  });
});
