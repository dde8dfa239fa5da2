import { locatorToLatlong } from "hamkit/locator";

/** Whether a word is a locator of 4, 6, 8 or 10 characters. */
export function isLocator(word: string): boolean {
  try {
    locatorToLatlong(word);
    return true;
  } catch {
    return false;
  }
}
