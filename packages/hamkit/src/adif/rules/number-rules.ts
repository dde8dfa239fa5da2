/** Numbers, with their ranges, frequencies and powers. */
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";
import { fault, type FieldValue, type Fault } from "./fault.js";

/** Each digit is matched by one part alone, so that it takes linear time. */
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const FREQUENCIES: ReadonlySet<string> = /* @__PURE__ */ new Set(["FREQ", "FREQ_RX"]);
const POWERS: ReadonlySet<string> = /* @__PURE__ */ new Set(["TX_PWR", "RX_PWR"]);

/** Rules that ranges of these fields have; others are named after their field: `age-range`. */
const RANGE_RULES: Readonly<Record<string, string>> = {
  CQZ: "cqz-out-of-range",
  MY_CQ_ZONE: "cqz-out-of-range",
  MY_ITU_ZONE: "ituz-range",
  A_INDEX: "a-index",
  K_INDEX: "k-index",
  SFI: "sfi",
};

export function numberFault(at: FieldValue): Fault | undefined {
  const { field, value } = at;
  if (FREQUENCIES.has(field.name)) return frequencyFault(at);
  if (POWERS.has(field.name)) return powerFault(at) ?? rangeFault(at);
  if (NUMBER.test(value)) return rangeFault(at);
  const to = numberOf(value);
  const level = to === undefined ? "error" : "warning";
  return fault(at, { level, rule: "number-form", expected: "a number with a decimal point", to });
}

export function integerFault(at: FieldValue): Fault | undefined {
  const pattern = at.field.type === "PositiveInteger" ? /^\d+$/ : /^-?\d+$/;
  if (pattern.test(at.value)) return rangeFault(at);
  const to = pattern.test(at.value.trim()) ? at.value.trim() : undefined;
  return fault(at, { level: to ? "warning" : "error", rule: "number-form", expected: "a whole number", to });
}

function rangeFault(at: FieldValue): Fault | undefined {
  const { name, min = -Infinity, max = Infinity, rangeImportOnly } = at.field;
  const number = Number(at.value);
  if (number >= min && number <= max) return undefined;
  const rule = RANGE_RULES[name] ?? `${name.toLowerCase().replaceAll("_", "-")}-range`;
  const expected = `a number ${rangeText(min, max)}`;
  if (rangeImportOnly !== true) return fault(at, { level: "error", rule, expected });
  const folded = FOLDED[name]?.(number);
  const to = Number.isFinite(folded) ? shortNumber(folded as number) : undefined;
  return fault(at, { level: "info", rule, expected, to });
}

/** Angles that ADIF has folded into their range on export: an azimuth of 370 is 10, an elevation of 100 is 80. */
const FOLDED: Readonly<Record<string, (angle: number) => number>> = {
  ANT_AZ: (angle) => modulo360(angle),
  ANT_EL: (angle) => {
    const turned = modulo360(angle + 180) - 180;
    if (Math.abs(turned) <= 90) return turned;
    // Beyond the zenith or the nadir, the angle to the horizon decreases again.
    return Math.sign(turned) * 180 - turned;
  },
};

function modulo360(angle: number): number {
  return ((angle % 360) + 360) % 360;
}

function rangeText(min: number, max: number): string {
  if (max === Infinity) return `of at least ${min}`;
  return min === -Infinity ? `of at most ${max}` : `from ${min} to ${max}`;
}

/** A number with a decimal comma, or in blanks. */
function numberOf(value: string): string | undefined {
  const text = value
    .trim()
    .replace(/^([+-]?\d*),(\d+)$/, "$1.$2")
    .replace(/^\+/, "");
  return NUMBER.test(text) ? text : undefined;
}

/** Blanks are matched once, so that it takes linear time. */
const NUMBER_AND_UNIT = /^([\d.,]+)\s*([A-Z]*)$/i;

const UNITS: Readonly<Record<string, number>> = { "": 1, GHZ: 1000, MHZ: 1, KHZ: 0.001, HZ: 0.000_001 };

/** Frequencies are in MHz. Other units are recognized by their name, or as the only one that lies in an amateur band. */
function frequencyFault(at: FieldValue): Fault | undefined {
  const [, digits = "", unit = ""] = NUMBER_AND_UNIT.exec(at.value.trim()) ?? [];
  const number = numberOf(digits) ?? groupedNumber(digits);
  const factor = UNITS[unit.toUpperCase()];
  const rule = "frequency-form";
  const expected = "a frequency in MHz";
  if (number === undefined || factor === undefined) return fault(at, { level: "error", rule, expected });
  if (unit !== "") return fault(at, { rule, expected, to: shortNumber(Number(number) * factor) });
  const megahertz = Number(number);
  if (bandAt(megahertz) !== undefined)
    return at.value === number ? undefined : fault(at, { rule, expected, to: number });
  const scale = [1e-3, 1e-6].find((step) => bandAt(megahertz * step) !== undefined);
  if (scale !== undefined && megahertz >= 100)
    return fault(at, { rule, expected: "a frequency in MHz", to: shortNumber(megahertz * scale) });
  return at.value === number ? undefined : fault(at, { rule, expected, to: number });
}

/** `14.074.000` and `14.074.00`, as transceivers show Hz or tens of them in groups of digits, in MHz. */
function groupedNumber(digits: string): string | undefined {
  const [, megahertz = "", kilohertz = "", rest = ""] =
    /^(\d{1,3})[.,](\d{3})[.,](\d{1,3})$/.exec(digits) ?? [];
  if (rest === "") return undefined;
  const number = Number(`${megahertz}.${kilohertz}${rest}`);
  // Of two digits, only in a band: elsewhere another grouping is as likely.
  return rest.length === 3 || bandAt(number) !== undefined ? shortNumber(number) : undefined;
}

/** Whether a text is a number without a sign. */
export function isPositiveNumber(text: string): boolean {
  return !text.startsWith("-") && NUMBER.test(text);
}

/** The band of a frequency in MHz; edges included. */
export function bandAt(megahertz: number): string | undefined {
  return ENUMERATIONS.Band.find(
    ({ lowerMHz = Infinity, upperMHz = 0 }) => megahertz >= lowerMHz && megahertz <= upperMHz,
  )?.code;
}

const WATTS: Readonly<Record<string, number>> = {
  "": 1,
  W: 1,
  WATT: 1,
  WATTS: 1,
  KW: 1000,
  MW: 0.001,
};

function powerFault(at: FieldValue): Fault | undefined {
  if (NUMBER.test(at.value)) return undefined;
  const [, digits = "", unit = ""] = NUMBER_AND_UNIT.exec(at.value.trim()) ?? [];
  const number = numberOf(digits);
  const factor = WATTS[unit.toUpperCase()];
  const isKnown = number !== undefined && factor !== undefined;
  // "MW" and "mW" differ by nine orders; a station has milliwatts.
  const to = isKnown ? (factor === 1 ? number : shortNumber(Number(number) * factor)) : undefined;
  const level = isKnown ? "warning" : "error";
  return fault(at, { level, rule: "power-form", expected: "a power in W", to });
}

/** A number without the noise of binary fractions. */
export function shortNumber(number: number): string {
  return String(Number(number.toFixed(9)));
}
