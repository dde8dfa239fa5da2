/**
 * Orbital elements of satellites: two lines (TLE) with or without a name, and OMM in JSON as of CelesTrak.
 *
 * @see D. Vallado et al., "Revisiting Spacetrack Report #3", AIAA 2006-6753, for the columns of TLE.
 */
import { ValueError } from "../errors.js";
import { showValue } from "../show-value.js";

/** The elements of a satellite. */
export interface SatelliteElements {
  /** As the source writes it; the catalog number where there is none. */
  readonly name: string;
  /** NORAD's number. */
  readonly catalogNumber: number;
  /** The moment for which the elements hold. */
  readonly epoch: Date;
  /** Revolutions a day. */
  readonly meanMotion: number;
  readonly eccentricity: number;
  /** In degrees. */
  readonly inclination: number;
  readonly ascendingNode: number;
  readonly perigee: number;
  readonly meanAnomaly: number;
  /** Drag, in 1/earth radii. */
  readonly bstar: number;
}

/** Lines that are no elements. */
export interface ElementsProblem {
  /** From 1; of JSON, the number of the object. */
  readonly line: number;
  readonly message: string;
}

/** What was read of a text. */
export interface ParsedElements {
  readonly satellites: readonly SatelliteElements[];
  /** The first hundred. */
  readonly problems: readonly ElementsProblem[];
}

const MAX_PROBLEMS = 100;
/** All objects of NORAD are 60,000. */
const MAX_SATELLITES = 200_000;

/**
 * Reads elements. What is no satellite is reported, and the rest is read.
 *
 * @param text TLE of two or three lines for each satellite, or a JSON array of OMM.
 * @throws {ValueError} The text is no string, or begins like JSON and is none.
 * @example
 * const { satellites } = parseElements(`ISS (ZARYA)
 * 1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927
 * 2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537`);
 * satellites[0]?.name; // => "ISS (ZARYA)"
 * satellites[0]?.epoch.toISOString(); // => "2008-09-20T12:25:40.104Z"
 */
export function parseElements(text: string): ParsedElements {
  if (typeof text !== "string")
    throw new ValueError({ argument: "text", value: text, expected: "TLE or JSON" });
  return /^\uFEFF?\s*[[{]/.test(text) ? parseJson(text) : parseLines(text);
}

interface Collected {
  readonly satellites: SatelliteElements[];
  readonly problems: ElementsProblem[];
}

function report({ problems }: Collected, line: number, message: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ line, message });
}

function parseLines(text: string): ParsedElements {
  const found: Collected = { satellites: [], problems: [] };
  let name = "";
  let first: string | undefined;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.replace(/^\uFEFF/, "").trimEnd();
    if (line.trim() === "") continue;
    if (isLine(line, "1")) {
      if (first !== undefined) report(found, index, "line 2 is missing");
      first = line;
    } else if (first !== undefined && isLine(line, "2")) {
      const elements = readLines(first, line, name);
      if (typeof elements === "string") report(found, index + 1, elements);
      else if (found.satellites.length < MAX_SATELLITES) found.satellites.push(elements);
      name = "";
      first = undefined;
    } else {
      if (first !== undefined) report(found, index, "line 2 is missing");
      first = undefined;
      name = nameOf(line);
    }
  }
  if (first !== undefined) report(found, 0, "line 2 is missing at the end");
  return found;
}

/** A number in columns 3 to 7, and the point of line 2's inclination, or of line 1's epoch: names begin with 1 and 2, too. */
function isLine(line: string, number: "1" | "2"): boolean {
  return number === "1"
    ? /^1 [A-Z\d ]{4}[\d ][A-Z ]? ?.{8,12}\d{5}\.\d/.test(line)
    : /^2 [A-Z\d ]{4}\d [ \d]{3}\.\d{4} [ \d]{3}\.\d{4} \d{7} /.test(line);
}

/** Space-Track writes `0 ` in front, others quotes around. */
function nameOf(line: string): string {
  return line.replace(/^0 /, "").trim().replaceAll(/^"|"$/g, "").slice(0, 60);
}

function readLines(first: string, second: string, name: string): SatelliteElements | string {
  for (const line of [first, second])
    if (line.length >= 69 && checksum(line) !== Number(line[68])) return "the checksum does not match";
  const number = catalogNumber(first.slice(2, 7));
  if (number === undefined || number !== catalogNumber(second.slice(2, 7)))
    return "the two lines have different numbers";
  const year = Number(first.slice(18, 20));
  return checked({
    name: name || String(number),
    catalogNumber: number,
    // Of 1957 to 2056.
    epoch: new Date(
      Date.UTC(year < 57 ? 2000 + year : 1900 + year, 0, 1) + (Number(first.slice(20, 32)) - 1) * DAY_MS,
    ),
    bstar: exponential(first.slice(53, 61)),
    inclination: Number(second.slice(8, 16)),
    ascendingNode: Number(second.slice(17, 25)),
    eccentricity: Number(`0.${second.slice(26, 33).trim()}`),
    perigee: Number(second.slice(34, 42)),
    meanAnomaly: Number(second.slice(43, 51)),
    meanMotion: Number(second.slice(52, 63)),
  });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The sum of the digits, and 1 for each minus. */
function checksum(line: string): number {
  let sum = 0;
  for (const character of line.slice(0, 68)) sum += character === "-" ? 1 : Number(character) || 0;
  return sum % 10;
}

/** Alpha-5: A0000 is 100000; I and O are left out. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";

function catalogNumber(text: string): number | undefined {
  const [, letter = "", digits = ""] = /^([A-Z]?)\s*(\d+)$/.exec(text.trim()) ?? [];
  if (digits === "" || (letter !== "" && (!LETTERS.includes(letter) || digits.length !== 4)))
    return undefined;
  return letter === "" ? Number(digits) : (LETTERS.indexOf(letter) + 10) * 10_000 + Number(digits);
}

/** `-11606-4` is -0.11606e-4. */
function exponential(text: string): number {
  const [, sign = "", digits = "0", exponent = "0"] = /^\s*([+-]?)\.?(\d+)([+-]\d)\s*$/.exec(text) ?? [];
  return Number(`${sign}0.${digits}e${exponent}`);
}

function checked(elements: SatelliteElements): SatelliteElements | string {
  const { epoch, meanMotion, eccentricity, inclination, name } = elements;
  if (Number.isNaN(epoch.getTime())) return `${name}: the epoch is no date`;
  if (!(meanMotion > 0 && meanMotion < 20)) return `${name}: the mean motion is not from 0 to 20 a day`;
  if (!(eccentricity >= 0 && eccentricity < 1)) return `${name}: the eccentricity is not from 0 to 1`;
  if (!(inclination >= 0 && inclination <= 180))
    return `${name}: the inclination is not from 0 to 180 degrees`;
  const wrong = Object.entries(elements).find(
    ([, value]) => typeof value === "number" && !Number.isFinite(value),
  );
  return wrong === undefined ? elements : `${name}: ${wrong[0]} is no number`;
}

function parseJson(text: string): ParsedElements {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ValueError({ argument: "text", value: text.slice(0, 100), expected: "TLE or JSON" }, { cause });
  }
  const found: Collected = { satellites: [], problems: [] };
  const list: readonly unknown[] = Array.isArray(json) ? json.slice(0, MAX_SATELLITES) : [json];
  for (const [index, each] of list.entries()) {
    const elements = typeof each === "object" && each !== null ? fromOmm(each) : "no object";
    if (typeof elements === "string") report(found, index + 1, elements);
    else found.satellites.push(elements);
  }
  return found;
}

/** Numbers are texts in some services' files. */
function fromOmm(omm: object): SatelliteElements | string {
  const members = new Map<string, unknown>(Object.entries(omm));
  const number = (name: string) => {
    const value = members.get(name);
    return typeof value === "number" || (typeof value === "string" && value !== "")
      ? Number(value)
      : Number.NaN;
  };
  const [name, epoch] = [members.get("OBJECT_NAME"), members.get("EPOCH")];
  if (typeof epoch !== "string") return `${showValue(name)}: EPOCH is missing`;
  return checked({
    name:
      typeof name === "string" && name.trim() !== ""
        ? name.trim().slice(0, 60)
        : String(number("NORAD_CAT_ID")),
    catalogNumber: number("NORAD_CAT_ID"),
    epoch: new Date(/Z$|[+-]\d\d:\d\d$/.test(epoch) ? epoch : `${epoch}Z`),
    bstar: Number.isNaN(number("BSTAR")) ? 0 : number("BSTAR"),
    inclination: number("INCLINATION"),
    ascendingNode: number("RA_OF_ASC_NODE"),
    eccentricity: number("ECCENTRICITY"),
    perigee: number("ARG_OF_PERICENTER"),
    meanAnomaly: number("MEAN_ANOMALY"),
    meanMotion: number("MEAN_MOTION"),
  });
}
