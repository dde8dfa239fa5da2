/** Tells by its form whether a text can be a locator, a callsign, or both. */
import { isFullCall } from "../../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../../callsign/normalize.js";

const LOCATOR = /^[a-r]{2}\d{2}(?:[a-x]{2}(?:\d{2}(?:[a-x]{2})?)?)?$/i;

/** A locator of four characters has the form of a call without a suffix, such as HL22. */
const CALL_WITHOUT_SUFFIX = /^[a-z]{2}\d{2}$/i;

/** Whether the text is a valid locator. */
export function isLocator(text: string): boolean {
  return LOCATOR.test(text.trim());
}

/** Whether the text or a part of it has the form of a callsign; only a database knows whether it is one. */
export function isLikeCall(text: string): boolean {
  const call = normalizeCallsign(text);
  if (call === undefined) return false;
  return CALL_WITHOUT_SUFFIX.test(call) || withoutSsid(call).split("/").some(isFullCall);
}
