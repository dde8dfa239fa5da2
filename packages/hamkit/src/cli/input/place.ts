/** The places that `path` and `sun` are asked for: locators and callsigns. */
import { isFullCall } from "../../callsign/form.js";
import { normalizeCallsign } from "../../callsign/normalize.js";
import { KeyError, LocatorError } from "../../errors.js";
import { locatorToLatlong } from "../../locator.js";
import type { CallsignDatabase } from "../databases/callsign-database.js";
import { dataText } from "../reports/data-text.js";
import { positionText } from "../reports/geo-text.js";
import { fieldsOf } from "../reports/record-fields.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import type { Session } from "../session.js";

/** A place, and what told it. */
export interface Place {
  /** The text as it was given. */
  readonly input: string;
  readonly kind: "locator" | "callsign";
  /** Of a callsign; `null` for a locator. */
  readonly country: string | null;
  /** The center of the locator's rectangle, or where the callsign database has the callsign. */
  readonly latitude: number;
  readonly longitude: number;
}

/** Finds places; opens the callsign database with the first callsign, and never for locators. */
export interface PlaceFinder {
  /**
   * @throws {KeyError} The callsign is not known, or at no place.
   * @throws {LocatorError} The text is neither a locator nor like a callsign.
   * @throws {IOError} @throws {CountryFileError} The database can't be opened.
   */
  find(argument: string, text: string): Promise<Place>;
  /** The database, if it was needed. */
  database(): CallsignDatabase | undefined;
}

const LOCATOR = /^[a-r]{2}\d{2}(?:[a-x]{2}(?:\d{2}(?:[a-x]{2})?)?)?$/i;

/** What is built like a locator, with letters that locators may not have. */
const NEARLY_LOCATOR = /^[a-z]{2}\d{2}[a-z]{2}(?:\d{2}(?:[a-z]{2})?)?$/i;

/** Says that a text is a callsign, for the few that are locators too: call:HG73DX. */
const CALL_MARK = /^call:/i;

/** A finder that looks callsigns up as the options say. */
export function createPlaceFinder(options: LookupOptions, session: Session): PlaceFinder {
  let database: CallsignDatabase | undefined;

  return { find, database: () => database };

  async function find(argument: string, text: string): Promise<Place> {
    const trimmed = text.trim();
    if (!LOCATOR.test(trimmed)) return findCall(argument, text, trimmed.replace(CALL_MARK, ""));
    const [latitude, longitude] = locatorToLatlong(trimmed);
    return { input: text, kind: "locator", country: null, latitude, longitude };
  }

  async function findCall(argument: string, input: string, call: string): Promise<Place> {
    if (normalizeCallsign(call) === undefined) throw noPlace(argument, input);
    const { openDatabase } = await import("../databases/callsign-database.js");
    database ??= await openDatabase(options, session);
    const answer = await database.identify(call, options.at ?? session.io.now());
    if (answer.kind !== "identified") throw isLikeCall(call) ? unknownCall(call) : noPlace(argument, input);
    const { country, latitude, longitude } = fieldsOf(answer.record);
    if (latitude === null || longitude === null) {
      throw new KeyError(call, `${JSON.stringify(call)} may be anywhere: ${country ?? "no country known"}`);
    }
    if (NEARLY_LOCATOR.test(input)) {
      session.warn(`${JSON.stringify(input)} is not a locator and was taken for a callsign: ${country}`);
    }
    return { input, kind: "callsign", country, latitude, longitude };
  }
}

function isLikeCall(text: string): boolean {
  return text.split("/").some((part) => isFullCall(part.toUpperCase()));
}

function unknownCall(call: string): KeyError {
  return new KeyError(call, `callsign ${JSON.stringify(call)} is not known`);
}

function noPlace(argument: string, value: string): LocatorError {
  return new LocatorError({
    argument,
    value,
    expected: "a locator of 4, 6, 8 or 10 characters, nor a callsign",
  });
}

/** What a place is called on a map: "JN48QM", "DH1TW". */
export function placeName({ input }: Place): string {
  return input.trim().replace(CALL_MARK, "").toUpperCase();
}

/** "JN48QM, center at 48.5208° N, 9.3750° E", "DH1TW, Germany at 51.00° N, 10.00° E" */
export function placeText(place: Place): string {
  const { kind, country, input } = place;
  return kind === "locator"
    ? `${input}, center at ${positionText(place, 4)}`
    : `${input}, ${country ?? ""} at ${positionText(place, 2)}`;
}

/** Says where a callsign's position came from; nothing where no callsign was asked for. */
export function dataLines(finder: PlaceFinder, { ink }: Session): string[] {
  const database = finder.database();
  if (database === undefined) return [];
  return ["", ink("dim", `${dataText(database)}; a callsign's position may be the middle of its country`)];
}
