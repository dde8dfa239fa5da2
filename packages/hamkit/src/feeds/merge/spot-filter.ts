/** Filters spots by band, mode, place and call. */
import { ADIF_BANDS } from "../../bands/band-edges.js";
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { isContinent } from "../../lookup/record.js";
import type { FeedSpot, FeedStation } from "./feed-spot.js";

/** What a spot must be. Several values of one criterion are alternatives; all criteria that are given must be met. */
export interface SpotCriteria {
  /** ADIF's names: `20m`. */
  readonly bands?: readonly string[] | undefined;
  /** `CW`, `SSB`, `FT8`...; any case. Where a spot has no mode, that of the band plan counts. */
  readonly modes?: readonly string[] | undefined;
  /** EU, NA, SA, AS, AF, OC or AN, of the spotted station; spots whose stations were not looked up are left out, as for the next three. */
  readonly dxContinents?: readonly string[] | undefined;
  /** ADIF's codes of the spotted station's entity. */
  readonly dxEntities?: readonly number[] | undefined;
  readonly spotterContinents?: readonly string[] | undefined;
  readonly spotterEntities?: readonly number[] | undefined;
  /** Patterns of the spotted call: `*` stands for any characters, `?` for one: `DL*`, `*\/P`. */
  readonly calls?: readonly string[] | undefined;
  /** `true`: only skimmers' spots; `false`: none of them. */
  readonly skimmer?: boolean | undefined;
}

type Test = (spot: FeedSpot) => boolean;

/** Longer than any call. */
const MAX_PATTERN_LENGTH = 30;

/**
 * A function that tells whether a spot meets the criteria, for the option `filter` of `openFeed`.
 *
 * @throws {ArgumentTypeError} A criterion is not an array.
 * @throws {ValueError} A band or a continent is none, a code is no integer, a mode is no text, or a pattern has more than 30
 *   characters.
 * @example
 * const isWanted = createSpotFilter({ bands: ["20m"], calls: ["JA*", "*\/MM"] });
 * const spot = spotOfItem(parseFeedLine("DX de DH1TW: 14025.0 JA1ABC cq 1200Z"), "my node");
 * spot && isWanted(spot); // => true
 */
export function createSpotFilter(criteria: SpotCriteria): (spot: FeedSpot) => boolean {
  const tests: Test[] = [];
  const { skimmer } = criteria;
  addTest(tests, upperSet(criteria, "bands", BAND), ({ band }) => band?.toUpperCase());
  addTest(tests, upperSet(criteria, "modes", MODE), ({ mode }) => mode);
  addTest(tests, upperSet(criteria, "dxContinents", CONTINENT), ({ dxStation }) => continentOf(dxStation));
  addTest(tests, upperSet(criteria, "spotterContinents", CONTINENT), ({ spotterStation }) =>
    continentOf(spotterStation),
  );
  addTest(tests, setOf(criteria, "dxEntities", ENTITY), ({ dxStation }) => dxStation?.adif);
  addTest(tests, setOf(criteria, "spotterEntities", ENTITY), ({ spotterStation }) => spotterStation?.adif);
  const calls = setOf(criteria, "calls", PATTERN);
  if (calls !== undefined) {
    const patterns = Array.from(calls, (pattern) => patternTest(String(pattern)));
    tests.push(({ dx }) => patterns.some((matches) => matches(dx)));
  }
  if (skimmer !== undefined) tests.push((spot) => spot.skimmer === skimmer);
  return (spot) => tests.every((test) => test(spot));
}

/** The valid values of a criterion: another one would silently match no spot. */
interface ValueForm {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const BAND_NAMES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ ADIF_BANDS.map(({ adif }) => adif.toUpperCase()),
);

const BAND: ValueForm = {
  expected: "a band such as 20m",
  accepts: (value) => typeof value === "string" && BAND_NAMES.has(value.toUpperCase()),
};
const MODE: ValueForm = { expected: "a mode such as CW", accepts: (value) => typeof value === "string" };
const CONTINENT: ValueForm = {
  expected: "EU, NA, SA, AS, AF, OC or AN",
  accepts: (value) => typeof value === "string" && isContinent(value.toUpperCase()),
};
const ENTITY: ValueForm = {
  expected: "ADIF's code of an entity",
  accepts: (value) => Number.isInteger(value),
};
const PATTERN: ValueForm = {
  expected: "a pattern such as DL*",
  accepts: (value) => typeof value === "string",
};

function addTest(
  tests: Test[],
  wanted: ReadonlySet<unknown> | undefined,
  valueOf: (spot: FeedSpot) => unknown,
): void {
  if (wanted !== undefined) tests.push((spot) => wanted.has(valueOf(spot)));
}

function setOf(
  criteria: SpotCriteria,
  name: keyof SpotCriteria,
  { expected, accepts }: ValueForm,
): ReadonlySet<unknown> | undefined {
  const values: unknown = criteria[name];
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) {
    throw new ArgumentTypeError({ argument: name, value: values, expected: "an array" });
  }
  const wrong: unknown = values.find((value) => !accepts(value));
  if (wrong !== undefined || values.includes(undefined))
    throw new ValueError({ argument: name, value: wrong, expected });
  return new Set(values);
}

/** Modes of sidebands are one mode in spots. */
function upperSet(
  criteria: SpotCriteria,
  name: keyof SpotCriteria,
  form: ValueForm,
): ReadonlySet<unknown> | undefined {
  const values = setOf(criteria, name, form);
  if (values === undefined) return undefined;
  return new Set(
    Array.from(values, (value) =>
      String(value)
        .toUpperCase()
        .replace(/^[UL]SB$/, "SSB"),
    ),
  );
}

function continentOf(station: FeedStation | undefined): string | undefined {
  return station?.continent;
}

/** A test of a pattern, in time that is linear in each of both lengths. */
function patternTest(pattern: string): (call: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const expected = `a pattern of at most ${MAX_PATTERN_LENGTH} characters`;
    throw new ValueError({ argument: "calls", value: pattern, expected });
  }
  const wanted = pattern.toUpperCase();
  return (call) => matchesPattern(call, wanted);
}

/** Goes back to the last star only, so that several stars don't multiply the work. */
function matchesPattern(call: string, pattern: string): boolean {
  let [at, inPattern, star, afterStar] = [0, 0, -1, 0];
  while (at < call.length) {
    const character = pattern[inPattern];
    if (character === "*") {
      star = inPattern++;
      afterStar = at;
    } else if (character === "?" || character === call[at]) {
      at++;
      inPattern++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++afterStar;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}
