/** Locators, coordinates and references of islands, summits and parks. */
import { fault, type FieldValue, type Fault } from "./fault.js";

/** RR73 is the end of a contact, taken for a locator by a program. The square of that name lies in the Arctic Ocean. */
const GRID = /^(?!RR73$)[A-R]{2}(?:\d{2}(?:[A-X]{2}(?:\d{2})?)?)?$/i;
const LONG_GRID = /^([A-R]{2}\d{2}[A-X]{2}\d{2})([A-X]{2}(?:\d{2})?)$/i;

export function gridFault(at: FieldValue): Fault | undefined {
  const { field, value, record } = at;
  if (GRID.test(value)) return undefined;
  const text = value.trim();
  const facts = { rule: "grid-form", expected: "a locator of 2, 4, 6 or 8 characters" };
  if (text.toUpperCase() === "RR73")
    return fault(at, { ...facts, expected: "a locator, but the end of a contact" });
  if (GRID.test(text)) return fault(at, { ...facts, to: text });
  const [, grid, rest] = LONG_GRID.exec(text) ?? [];
  const extension = `${field.name}_EXT`;
  if (grid !== undefined && rest !== undefined) {
    const isFree = (record[extension] ?? rest).toUpperCase() === rest.toUpperCase();
    return fault(at, { ...facts, fix: isFree ? { [field.name]: grid, [extension]: rest } : undefined });
  }
  const shorter = text.length % 2 === 1 ? text.slice(0, -1) : "";
  return fault(at, { ...facts, to: GRID.test(shorter) ? shorter : undefined });
}

/** Characters 9 to 12. The whole locator is divided, if the field before has nothing else than its beginning. */
export function gridExtensionFault(at: FieldValue): Fault | undefined {
  const { field, value, record } = at;
  if (/^[A-X]{2}(?:\d{2})?$/i.test(value)) return undefined;
  const facts = { rule: "grid-form", expected: "characters 9 to 12 of a locator" };
  const [, grid, rest] = LONG_GRID.exec(value.trim()) ?? [];
  if (grid === undefined || rest === undefined) return fault(at, facts);
  const name = field.name.replace("_EXT", "");
  const isWhole = grid.toUpperCase().startsWith((record[name] ?? "").trim().toUpperCase());
  return fault(at, { ...facts, fix: isWhole ? { [name]: grid, [field.name]: rest } : undefined });
}

/** `VUCC_GRIDS`: 2 grids at a line, or 4 at a corner, of 4 or 6 characters. */
export function gridListFault(at: FieldValue): Fault | undefined {
  const grids = at.value.split(",").map((grid) => grid.trim());
  const isList =
    grids.every((grid) => /^[A-R]{2}\d{2}(?:[A-X]{2})?$/i.test(grid)) && [2, 4].includes(grids.length);
  const expected = "2 or 4 adjacent locators of 4 or 6 characters, separated by commas";
  if (!isList || !areAdjacent(grids)) return fault(at, { rule: "grid-form", expected });
  const to = grids.join();
  return to === at.value ? undefined : fault(at, { rule: "grid-form", expected, to });
}

function areAdjacent(grids: readonly string[]): boolean {
  const cells = grids.map((grid) => {
    const [a = 0, b = 0, c = 0, d = 0] = Array.from(grid.toUpperCase(), (letter) => letter.charCodeAt(0));
    return { column: (a - 65) * 10 + c - 48, row: (b - 65) * 10 + d - 48 };
  });
  const rows = spread(cells.map(({ row }) => row));
  const columns = cells.map(({ column }) => column);
  // Across 180° the columns 179 and 0 are neighbors.
  const width = Math.min(spread(columns), spread(columns.map((column) => (column + 90) % 180)));
  const isDistinct = new Set(grids.map((grid) => grid.slice(0, 4).toUpperCase())).size === grids.length;
  return isDistinct && rows <= 1 && width <= 1 && (grids.length === 4 || rows + width === 1);
}

function spread(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

const LOCATION = /^[NSEW]\d{3} [0-5]\d\.\d{3}$/i;

export function locationFault(at: FieldValue): Fault | undefined {
  const { field, value } = at;
  const isLatitude = field.name.endsWith("LAT");
  const expected = `a ${isLatitude ? "latitude as N048 30.000" : "longitude as E009 00.000"}`;
  const isForm = LOCATION.test(value);
  if (isForm && !(isLatitude ? /^[NS]/i : /^[EW]/i).test(value))
    return fault(at, { level: "error", rule: "location-hemisphere", expected });
  const angle = angleOf(value, isLatitude);
  const max = isLatitude ? 90 : 180;
  if (angle !== undefined && angle.degrees > max)
    return fault(at, { level: "error", rule: "location-range", expected: `of at most ${max} degrees` });
  if (isForm) return undefined;
  return fault(at, { rule: "location-form", expected, to: angle && locationOf(angle) });
}

interface Angle {
  readonly hemisphere: string;
  readonly degrees: number;
}

/** Degrees (`48.5`, `-33.8688`), or degrees and minutes (`N048 30.000`, `N48 30.0`, `N 48° 30'`). */
function angleOf(value: string, isLatitude: boolean): Angle | undefined {
  const [, front = "", degrees = "", minutes = "0", back = ""] =
    /^([NSEW+-]?)\s*(\d{1,3}(?:[.,]\d+)?)°?(?:\s+(\d{1,2}(?:[.,]\d+)?)['′]?)?\s*([NSEW]?)$/i.exec(
      value.trim(),
    ) ?? [];
  if (degrees === "" || (front !== "" && back !== "")) return undefined;
  const letters = isLatitude ? "NS" : "EW";
  const hemisphere =
    (back || front).toUpperCase().replace("+", "").replace("-", letters.charAt(1)) || letters.charAt(0);
  const minute = Number(minutes.replace(",", "."));
  if (!letters.includes(hemisphere) || minute >= 60) return undefined;
  return { hemisphere, degrees: Number(degrees.replace(",", ".")) + minute / 60 };
}

/** ADIF's form of an angle. */
function locationOf({ hemisphere, degrees }: Angle): string {
  // Rounded once, in thousandths of a minute, so that 59.9996' becomes the next degree.
  const thousandths = Math.round(degrees * 60_000);
  const whole = String(Math.floor(thousandths / 60_000)).padStart(3, "0");
  return `${hemisphere}${whole} ${((thousandths % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}

export function iotaFault(at: FieldValue): Fault | undefined {
  const expected = "an IOTA reference as EU-005";
  const [, continent = "", number = ""] =
    /^\s*(AF|AN|AS|EU|NA|OC|SA)[\s-]*(\d{1,3})\s*$/i.exec(at.value) ?? [];
  if (number === "" || Number(number) === 0) return fault(at, { rule: "iota-form", expected });
  const to = `${continent.toUpperCase()}-${number.padStart(3, "0")}`;
  return referenceFault(at, "iota-form", { expected, to });
}

export function sotaFault(at: FieldValue): Fault | undefined {
  const expected = "a summit as G/LD-001";
  const [, association = "", region = "", number = ""] =
    /^\s*([A-Z\d]{1,8})\/([A-Z]{2})[\s-]*(\d{1,3})\s*$/i.exec(at.value) ?? [];
  if (number === "") return fault(at, { rule: "sota-form", expected });
  const to = `${association}/${region}-${number.padStart(3, "0")}`.toUpperCase();
  return referenceFault(at, "sota-form", { expected, to });
}

export function wwffFault(at: FieldValue): Fault | undefined {
  const expected = "a WWFF reference as DLFF-0001";
  const [, program = "", number = ""] = /^\s*([A-Z\d]{1,4}FF)[\s-]*(\d{1,4})\s*$/i.exec(at.value) ?? [];
  if (number === "") return fault(at, { rule: "wwff-form", expected });
  return referenceFault(at, "wwff-form", {
    expected,
    to: `${program.toUpperCase()}-${number.padStart(4, "0")}`,
  });
}

/** Case alone is legal. */
function referenceFault(
  at: FieldValue,
  rule: string,
  { expected, to }: { expected: string; to: string },
): Fault | undefined {
  if (to === at.value) return undefined;
  const level = to === at.value.toUpperCase() ? "none" : "warning";
  return fault(at, { level, rule, expected, to });
}

const POTA = /^([A-Z\d]{1,4})-(\d{4,5})(@[A-Z]{2}-[A-Z\d]{1,3})?$/i;

export function potaFault(at: FieldValue): Fault | undefined {
  const parks = at.field.type === "POTARefList" ? at.value.split(",") : [at.value];
  const trimmed = parks.map((park) => park.trim().replace(/^([A-Z\d]{1,4})\s?(\d{4,5})$/i, "$1-$2"));
  const expected = "a park as US-1234";
  if (!trimmed.every((park) => POTA.test(park))) return fault(at, { rule: "pota-form", expected });
  const to = trimmed.join();
  if (to !== at.value) return fault(at, { rule: "pota-form", expected, to });
  // The parks of the USA were renamed from K- to US- in 2024, with their numbers.
  const renamed = trimmed.map((park) => park.replace(/^K-/i, "US-")).join();
  if (renamed === to) return undefined;
  return fault(at, { level: "info", rule: "pota-old-reference", expected, to: renamed });
}
