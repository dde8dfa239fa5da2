/** Tells by its form whether a text can be a locator, a callsign, or both. */
import { isFullCall } from "../../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../../callsign/normalize.js";

const LOCATOR = /^[a-r]{2}\d{2}(?:[a-x]{2}(?:\d{2}(?:[a-x]{2})?)?)?$/i;

/** Whether the text is a valid locator. */
export function isLocator(text: string): boolean {
  return LOCATOR.test(text.trim());
}

/** Whether the text or a part of it has the form of a callsign; only a database knows whether it is one. */
export function isLikeCall(text: string): boolean {
  return partsOf(text).some(isFullCall);
}

/** Whether the text may be a callsign, also one without the usual form such as BV100: it has letters and digits and nothing else. */
export function mayBeCall(text: string): boolean {
  return partsOf(text).some((part) => isFullCall(part) || (/[A-Z]/.test(part) && /\d/.test(part)));
}

function partsOf(text: string): string[] {
  const call = normalizeCallsign(text);
  return call === undefined ? [] : withoutSsid(call).split("/");
}
