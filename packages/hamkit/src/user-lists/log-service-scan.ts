/**
 * Fast parser for the log service's JSON in the service's own layout: compact, with the fields in a fixed order.
 *
 * `JSON.parse` would create a string for each date; one pass over the text takes half the time. Any other layout, valid
 * JSON or not, ends the scan without a result.
 */
import { byCall } from "./by-call.js";
import { momentAt, MOMENT_LENGTH, omitValue } from "./log-service-record.js";
import type { DateKey, LogsiteUser, LogsiteUsers } from "./log-service-record.js";
import type { Omissions } from "./omissions.js";

const QUOTE = 34;
const COMMA = 44;
const SLASH = 47;
const COLON = 58;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;

/** The users in a text of this layout; `undefined` for any other text. */
export function scanUsers(text: string, omissions: Omissions): LogsiteUsers | undefined {
  const calls: string[] = [];
  const users: LogsiteUser[] = [];
  let position = 0;
  let call = "";
  /** The character required before the next field. */
  let separator = OPEN;
  let isOurLayout = true;

  function takeCode(code: number): boolean {
    if (text.charCodeAt(position) !== code) return false;
    position++;
    return true;
  }

  function take(word: string): boolean {
    if (!text.startsWith(word, position)) return false;
    position += word.length;
    return true;
  }

  /** Skips the name of a field, if it is this one. */
  function takeName(name: string): boolean {
    if (text.charCodeAt(position) !== separator || !text.startsWith(name, position + 1)) return false;
    position += 1 + name.length;
    separator = COMMA;
    return true;
  }

  /** A quoted string; the only supported escape is that of slashes, which the service writes. */
  function takeText(): string {
    const start = position + 1;
    const end = endOfText(text, position);
    if (end < 0) {
      isOurLayout = false;
      return "";
    }
    position = end + 1;
    const taken = text.slice(start, end);
    return taken.includes("\\") ? taken.replaceAll("\\/", "/") : taken;
  }

  function takeDate(key: DateKey): Date | undefined {
    if (text.charCodeAt(position) !== QUOTE) {
      isOurLayout &&= take("null");
      return undefined;
    }
    const hasLength = text.charCodeAt(position + MOMENT_LENGTH + 1) === QUOTE;
    const date = hasLength ? momentAt(text, position + 1) : undefined;
    if (date) position += MOMENT_LENGTH + 2;
    else omitValue(omissions, call, key, takeText());
    return date;
  }

  function takeUser(): LogsiteUser {
    const user: LogsiteUser = {};
    separator = OPEN;
    const firstqso = takeName('"firstqso":') ? takeDate("firstqso") : undefined;
    if (firstqso) user.firstqso = firstqso;
    const lastqso = takeName('"lastqso":') ? takeDate("lastqso") : undefined;
    if (lastqso) user.lastqso = lastqso;
    const lastupload = takeName('"lastupload":') ? takeDate("lastupload") : undefined;
    if (lastupload) user.lastupload = lastupload;
    if (takeName('"locator":') && !take("null")) user.locator = takeText();
    if (takeName('"oqrs":') && !take("null")) {
      user.oqrs = take("true");
      isOurLayout &&= user.oqrs || take("false");
    }
    const logbook = takeName('"last-lotw":') ? takeDate("last-logbook") : undefined;
    if (logbook) user["last-logbook"] = logbook;
    isOurLayout &&= (separator === COMMA || takeCode(OPEN)) && takeCode(CLOSE);
    return user;
  }

  if (!takeCode(OPEN)) return undefined;
  while (isOurLayout) {
    call = takeText();
    isOurLayout &&= takeCode(COLON);
    users.push(takeUser());
    calls.push(call);
    if (takeCode(CLOSE)) break;
    isOurLayout &&= takeCode(COMMA);
  }
  return isOurLayout && /^[ \t\r\n]*$/.test(text.slice(position)) ? byCall(calls, users) : undefined;
}

/** Index of the closing quote of the string that opens at an index; -1 without one, or with unsupported escapes. */
function endOfText(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH && text.charCodeAt(++at) !== SLASH) return -1;
    // Control characters must be escaped in JSON; beyond the end of the text the code is NaN.
    if (!(code >= 32)) return -1;
  }
}
