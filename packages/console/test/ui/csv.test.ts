import { expect, it } from "vitest";

import { csvOf } from "../../src/ui/values/csv.ts";

it("quotes cells with commas, quotes and line ends, and ends lines as RFC 4180 has it", () => {
  expect(
    csvOf([
      ["Name", "About"],
      ['Ada "the first"', "one,\r\ntwo"],
    ]),
  ).toBe('Name,About\r\n"Ada ""the first""","one,\r\ntwo"\r\n');
});

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("makes %j text, not a formula", (cell) => {
  expect(csvOf([[cell]])).toMatch(/^"?'/);
});
