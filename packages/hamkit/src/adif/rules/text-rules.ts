/** Text: strings, callsigns, countries, contests, credits and lists. */
import { ENTITIES } from "../tables/generated/entity-table.js";
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";
import { entryOf, fault, type FieldValue, type Fault, outdatedFault } from "./fault.js";

export function booleanFault(at: FieldValue): Fault | undefined {
  if (/^[YN]$/i.test(at.value)) return undefined;
  const word = at.value.trim().toLowerCase();
  const to = /^(?:y|yes|true|1)$/.test(word) ? "Y" : /^(?:n|no|false|0)$/.test(word) ? "N" : undefined;
  return fault(at, { level: to ? "warning" : "error", rule: "boolean", expected: "Y or N", to });
}

// oxlint-disable no-control-regex -- that is what these expressions look for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Without line ends, which text of several lines has. */
const CONTROL_IN_LINES = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/;
const CONTROLS_AT_END = /^[\u0000-\u0008\u000e-\u001f\u007f]+|[\u0000-\u0008\u000e-\u001f\u007f]+$/g;
// oxlint-enable no-control-regex

/**
 * Characters that ADIF does not allow in any value. Those around a value are what fills up its space in a file or ends one; a tabulator
 * separates words. Within a word, a lost character may have been in their place, so that they stay.
 */
export function controlFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  if (!CONTROL_IN_LINES.test(value)) return undefined;
  const to = value.replaceAll(CONTROLS_AT_END, "").replaceAll("\t", " ");
  const expected = "text without control characters";
  return fault(at, { rule: "control-character", expected, to: CONTROL_IN_LINES.test(to) ? undefined : to });
}

/** One line of text. */
export function stringFault(at: FieldValue): Fault | undefined {
  if (!CONTROL.test(at.value)) return undefined;
  return controlFault(at) ?? fault(at, { rule: "line-break-in-string", expected: "text of one line" });
}

/** Lines of text end with CR LF; other programs write LF, or have the file rewritten with LF. */
export function multilineFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  if (!CONTROL.test(value)) return undefined;
  const control = controlFault(at);
  if (control !== undefined || !/(?<!\r)\n|\r(?!\n)/.test(value)) return control;
  const to = withoutFinalBreaks(value).replaceAll(/\r\n|\n|\r/g, "\r\n");
  return fault(at, { rule: "line-breaks-lf", expected: "text whose lines end with CR LF", to });
}

/** Not by an expression, which would try each line break of the text as the first of the last ones. */
function withoutFinalBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && /[\r\n]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const CALLS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "CALL",
  "CONTACTED_OP",
  "EQ_CALL",
  "OPERATOR",
  "OWNER_CALLSIGN",
  "STATION_CALLSIGN",
]);

export function isCallField(name: string): boolean {
  return CALLS.has(name);
}

export function callFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  if (isCallsign(value)) return undefined;
  const call = value.replaceAll(/\s/g, "").replaceAll("\\", "/").replaceAll(/[Øø]/g, "0").toUpperCase();
  const expected = "a callsign in upper case, without blanks";
  if (!isCallsign(call)) return fault(at, { rule: "call-form", expected });
  if (call === value) return undefined;
  const level = call === value.toUpperCase() ? "none" : "warning";
  return fault(at, { level, rule: "call-form", expected, to: call });
}

/** Letters and digits, both, in parts separated by slashes. */
function isCallsign(call: string): boolean {
  return /^[A-Z\d]+(?:\/[A-Z\d-]+)*$/.test(call) && /[A-Z]/.test(call) && /\d/.test(call);
}

/** A country by its ISO code. */
export function countryFault(at: FieldValue): Fault | undefined {
  const code = at.value.trim().toUpperCase();
  if (!/^[A-Z]{2}$/.test(code)) return stringFault(at);
  const entities = ENTITIES.filter(({ iso, deleted }) => iso === code && deleted !== true);
  if (entities.length === 0) return stringFault(at);
  const dxcc = at.record[at.field.name.startsWith("MY_") ? "MY_DXCC" : "DXCC"]?.trim();
  const entity = entities.length === 1 ? entities[0] : entities.find((each) => String(each.code) === dxcc);
  const to = entity === undefined ? undefined : entryOf("DXCC_Entity_Code", String(entity.code))?.name;
  return fault(at, { rule: "country-iso", expected: "the name of a DXCC entity", to });
}

/** Unknown contests are legal; an id that only lacks its mode is completed by the mode of the QSO. */
export function contestFault(at: FieldValue): Fault | undefined {
  const id = at.value.trim().toUpperCase();
  const entry = entryOf("Contest_ID", id);
  if (entry !== undefined) return outdatedFault(at, [entry], { enumeration: "Contest_ID" });
  const modes = ENUMERATIONS.Contest_ID.filter(
    ({ code, importOnly }) =>
      importOnly !== true && ["CW", "SSB", "RTTY"].some((mode) => code === `${id}-${mode}`),
  );
  if (modes.length === 0) return stringFault(at);
  const mode = at.record["MODE"]?.trim().toUpperCase() ?? "";
  const to = modes.find(({ code }) => code === `${id}-${mode}`)?.code;
  return fault(at, {
    rule: "contest-id-free",
    expected: `one of ${modes.map(({ code }) => code).join(", ")}`,
    to,
  });
}

/** `CREDIT[:MEDIUM[&MEDIUM]]`, separated by commas; readers accept awards too. */
export function creditFault(at: FieldValue): Fault | undefined {
  const isValid = at.value.split(",").every((part) => {
    const [credit = "", media, ...rest] = part.trim().split(":");
    const isKnown = entryOf("Credit", credit) ?? entryOf("Award", credit);
    const areKnown = media?.split("&").every((medium) => entryOf("QSL_Medium", medium) !== undefined) ?? true;
    return isKnown !== undefined && areKnown && rest.length === 0;
  });
  const expected = "a list of credits as DXCC:CARD&LOTW";
  return isValid ? undefined : fault(at, { level: "error", rule: "credit-form", expected });
}

/** Awards that begin with the code of a sponsor: `ARRL_DXCC`. */
export function sponsoredAwardFault(at: FieldValue): Fault | undefined {
  const isValid = at.value.split(",").every((award) => {
    const name = award.trim().toUpperCase();
    return ENUMERATIONS.Award_Sponsor.some(({ code }) => name.startsWith(code) && name.length > code.length);
  });
  if (isValid) return undefined;
  return fault(at, {
    level: "error",
    rule: "award-sponsor",
    expected: "awards with a sponsor, as ARRL_DXCC",
  });
}

/** One character or digit. */
export function characterFault(at: FieldValue): Fault | undefined {
  const isValid = at.field.type === "Digit" ? /^\d$/.test(at.value) : Array.from(at.value).length === 1;
  return isValid
    ? undefined
    : fault(at, { level: "error", rule: "character", expected: "a single character" });
}
