import { expect, it } from "vitest";

import { visibleRows } from "../../../src/ui/table/visible-rows.ts";

it.each([
  ["the beginning", 10_000, { top: 0, height: 400 }, { first: 0, end: 22 }],
  ["the middle", 10_000, { top: 200_000, height: 400 }, { first: 4988, end: 5022 }],
  ["the end", 10_000, { top: 399_600, height: 400 }, { first: 9978, end: 10_000 }],
  ["a list that got shorter than it was scrolled", 10, { top: 4_000, height: 400 }, { first: 10, end: 10 }],
  ["an empty list", 0, { top: 0, height: 400 }, { first: 0, end: 0 }],
])("draws the rows near %s", (_name, count, viewport, expected) => {
  expect(visibleRows(count, 40, viewport)).toEqual(expected);
});
