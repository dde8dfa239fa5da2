/** What searches in a list are asked, checked. */
import { ArgumentTypeError, ValueError } from "../errors.js";

/** How many results a search gives when it isn't told. */
const USUAL_LIMIT = 50;

/** The text in upper case, without blanks around it; "" where another character makes every match impossible. */
export function searchText(text: string, argument: string, allowed: RegExp): string {
  if (typeof text !== "string") throw new ArgumentTypeError({ argument, value: text, expected: "a string" });
  const trimmed = text.trim();
  return allowed.test(trimmed) ? trimmed.toUpperCase() : "";
}

/** @throws {ValueError} It is no whole number from 1. */
export function requireLimit(limit: number | undefined): number {
  if (limit === undefined) return USUAL_LIMIT;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new ValueError({ argument: "limit", value: limit, expected: "a whole number from 1" });
}
