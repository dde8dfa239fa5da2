/** Resolves the places of `path`, `map` and `sun`: locators, coordinates and callsigns. */
import { normalizeCallsign } from "../../callsign/normalize.js";
import { KeyError, LocatorError } from "../../errors.js";
import { coordinatesIn } from "../../geo/locator.js";
import { locatorToLatlong } from "../../locator.js";
import type { CallsignDatabase } from "../databases/callsign-database.js";
import { dataText } from "../terminal/text-table.js";
import { positionText } from "../terminal/geo-text.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import type { Session } from "../session.js";
import { isLikeCall, isLocator } from "./text-form.js";

/** A resolved place. */
export interface Place {
  /** The text as it was given. */
  readonly input: string;
  readonly kind: "locator" | "coordinates" | "callsign";
  /** Of a callsign; `null` otherwise. */
  readonly country: string | null;
  /** The center of the locator's rectangle, or the callsign's position in the database. */
  readonly latitude: number;
  readonly longitude: number;
}

/** Resolves places; opens the callsign database on the first callsign, and not for other places. */
export interface PlaceFinder {
  /**
   * @throws {KeyError} The callsign is unknown, or has no position.
   * @throws {LocatorError} The text has neither the form of a locator nor that of coordinates or a callsign.
   * @throws {PositionError} A coordinate is out of its range.
   * @throws {IOError} @throws {CountryFileError} The database can't be opened.
   */
  find(argument: string, text: string): Promise<Place>;
  /** The database, if it was opened. */
  database(): CallsignDatabase | undefined;
}

/** The form of a locator, also with letters out of range. */
const NEARLY_LOCATOR = /^[a-z]{2}\d{2}[a-z]{2}(?:\d{2}(?:[a-z]{2})?)?$/i;

/** A square with letters out of range: rather a mistyped locator than a call without a suffix. */
const NEARLY_SQUARE = /^[a-z]{2}\d{2}$/i;

/** Marks a text as a callsign, for the few callsigns that are also locators: call:HG73DX. */
const CALL_MARK = /^call:/i;

/** A finder that looks callsigns up in the database of the options. */
export function createPlaceFinder(options: LookupOptions, session: Session): PlaceFinder {
  let database: CallsignDatabase | undefined;

  return { find, database: () => database };

  async function find(argument: string, text: string): Promise<Place> {
    const trimmed = text.trim();
    const position = coordinatesIn(trimmed);
    if (position !== undefined) return { input: text, kind: "coordinates", country: null, ...position };
    if (!isLocator(trimmed)) return findCall(argument, text, trimmed.replace(CALL_MARK, ""));
    const [latitude, longitude] = locatorToLatlong(trimmed);
    return { input: text, kind: "locator", country: null, latitude, longitude };
  }

  async function findCall(argument: string, input: string, call: string): Promise<Place> {
    if (normalizeCallsign(call) === undefined || NEARLY_SQUARE.test(input.trim()))
      throw noPlace(argument, input);
    const { openDatabase } = await import("../databases/callsign-database.js");
    const { fieldsOf } = await import("../databases/identify-calls.js");
    database ??= await openDatabase(options, session);
    const result = await database.identify(call, options.at ?? session.io.now());
    if (result.kind !== "identified") throw isLikeCall(call) ? unknownCall(call) : noPlace(argument, input);
    const { country, latitude, longitude } = fieldsOf(result.record);
    if (latitude === null || longitude === null) {
      const where = country ?? "country unknown";
      throw new KeyError(call, `${argument}: callsign ${JSON.stringify(call)} has no position (${where})`);
    }
    if (NEARLY_LOCATOR.test(input)) {
      session.warn(`${argument}: ${JSON.stringify(input)} is not a locator; used as a callsign: ${country}`);
    }
    return { input, kind: "callsign", country, latitude, longitude };
  }
}

function unknownCall(call: string): KeyError {
  return new KeyError(call, `callsign ${JSON.stringify(call)} is not known`);
}

function noPlace(argument: string, value: string): LocatorError {
  return new LocatorError({
    argument,
    value,
    expected: "a locator of 4, 6, 8 or 10 characters, nor coordinates as 48.5,9.3, nor a callsign",
  });
}

/** The label of a place on a map: "JN48QM", "DH1TW". */
export function placeName({ input }: Place): string {
  return input.trim().replace(CALL_MARK, "").toUpperCase();
}

/** "JN48QM, center at 48.5208° N, 9.3750° E", "48.5000° N, 9.3000° E", "DH1TW, Germany at 51.00° N, 10.00° E" */
export function placeText(place: Place): string {
  const { kind, country, input } = place;
  if (kind === "coordinates") return positionText(place, 4);
  return kind === "locator"
    ? `${input}, center at ${positionText(place, 4)}`
    : `${input}, ${country ?? ""} at ${positionText(place, 2)}`;
}

/** The footer that names the source of a callsign's position; empty for locators. */
export function dataLines(finder: PlaceFinder, { ink }: Session): string[] {
  const database = finder.database();
  if (database === undefined) return [];
  return ["", ink("dim", `${dataText(database)}; a callsign's position may be the middle of its country`)];
}
