import { expect, it } from "vitest";

import {
  attributesOf,
  isTrue,
  jsonOf,
  maybeMicroseconds,
  maybeMoment,
} from "../../../src/import/source/source-values.js";

it("reads booleans of MariaDB and PostgreSQL", () => {
  expect(["1", "t", "0", "f", null].map(isTrue)).toEqual([true, true, false, false, false]);
});

it("reads times in UTC, whatever the time zone of the process", () => {
  expect(maybeMoment("2026-11-22 05:50:34")).toBe(Date.UTC(2026, 10, 22, 5, 50, 34));
  expect(maybeMoment("2026-11-22 05:50:34.25")).toBe(Date.UTC(2026, 10, 22, 5, 50, 34, 250));
  expect(maybeMoment("2026-11-22")).toBe(Date.UTC(2026, 10, 22));
  expect(maybeMicroseconds("4070908800000000")).toBe(Date.UTC(2099, 0, 1));
  expect(() => maybeMoment("0000-00-00 00:00:00")).toThrow("is not a date");
});

it("reads JSON, also if it was encoded twice", () => {
  expect(jsonOf('[{"a": 1}]')).toEqual([{ a: 1 }]);
  expect(jsonOf('"[{\\"a\\": 1}]"')).toEqual([{ a: 1 }]);
  expect(attributesOf(null)).toEqual({});
  expect(() => attributesOf("[]")).toThrow("is not a JSON object");
});
