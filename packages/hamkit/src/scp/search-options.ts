/** Validates the arguments of both searches. */
import { ArgumentTypeError, ValueError } from "../errors.js";

const DEFAULT_LIMIT = 50;

/** The text trimmed and in upper case; "" if it contains a character that no call has. */
export function searchText(text: string, argument: string, allowed: RegExp): string {
  if (typeof text !== "string") throw new ArgumentTypeError({ argument, value: text, expected: "a string" });
  const trimmed = text.trim();
  return allowed.test(trimmed) ? trimmed.toUpperCase() : "";
}

/** @throws {ValueError} The limit is not an integer from 1. */
export function requireLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new ValueError({ argument: "limit", value: limit, expected: "an integer from 1" });
}
