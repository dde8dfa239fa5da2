/** Contacts of one own station: awards ask for one entity, or for a circle. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { distanceKm } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";
import { upperCase, type LoggedContact } from "./contact.js";
import type { ContradictionSink } from "./contradictions.js";
import { gridOf } from "../units/grids.js";

/** The own station. Contacts without the field that is compared are taken to be its own. */
export interface OwnStation {
  /** Calls, compared with STATION_CALLSIGN. */
  readonly calls?: readonly string[];
  /** Entity code, compared with MY_DXCC. */
  readonly entity?: number;
  /** A circle around a locator, compared with the center of MY_GRIDSQUARE: WAS 80 km, VUCC 200 km. */
  readonly within?: { readonly locator: string; readonly km: number };
}

export interface OwnStationFilter {
  accepts(contact: LoggedContact): boolean;
}

/** Locators of own stations are few. */
const MAX_LOCATORS = 10_000;

/** Without an own station all contacts are accepted, and several own entities are reported. */
export function createOwnStationFilter(
  own: OwnStation | undefined,
  sink: ContradictionSink,
): OwnStationFilter {
  if (own !== undefined) requireOwnStation(own);
  const calls = own?.calls === undefined ? undefined : new Set(own.calls.map(upperCase));
  const inCircle = own?.within === undefined ? undefined : circle(own.within);
  const entities = new Set<string>();
  return {
    accepts(contact) {
      const { STATION_CALLSIGN: call, MY_DXCC: entity = "", MY_GRIDSQUARE: locator } = contact.record;
      if (calls !== undefined && call !== undefined && !calls.has(upperCase(call))) return false;
      if (own?.entity !== undefined && entity !== "" && Number(entity) !== own.entity) return false;
      if (inCircle !== undefined && locator !== undefined && !inCircle(locator)) return false;
      if (/^\d{1,3}$/.test(entity) && !entities.has(entity)) {
        if (entities.size > 0)
          sink.report(
            "own-entity-conflict",
            contact,
            "MY_DXCC",
            (value, others) =>
              `MY_DXCC: ${value} after ${others.join(", ")}: DXCC and WPX count contacts from one`,
            entity,
            Array.from(entities),
          );
        entities.add(entity);
      }
      return true;
    },
  };
}

/** Another type would silently leave out every contact. */
function requireOwnStation({ calls, entity }: OwnStation): void {
  if (calls !== undefined && !(Array.isArray(calls) && calls.every((call) => typeof call === "string")))
    throw new ArgumentTypeError({ argument: "own.calls", value: calls, expected: "an array of callsigns" });
  if (entity !== undefined && !Number.isInteger(entity))
    throw new ArgumentTypeError({ argument: "own.entity", value: entity, expected: "the code of an entity" });
}

function circle({
  locator,
  km,
}: {
  readonly locator: string;
  readonly km: number;
}): (locator: string) => boolean {
  const center = locatorToPosition(locator, "own.within.locator", "center");
  if (!(km > 0))
    throw new ValueError({ argument: "own.within.km", value: km, expected: "a distance above 0" });
  const known = new Map<string, boolean>();
  return (text) => {
    const isKnown = known.get(text);
    if (isKnown !== undefined) return isKnown;
    const precise = /^[A-R]{2}\d\d[A-X]{2}/i.test(text) ? text.slice(0, 6) : gridOf(text);
    const isInside =
      precise === undefined ||
      distanceKm(center, locatorToPosition(precise, "MY_GRIDSQUARE", "center")) <= km;
    if (known.size >= MAX_LOCATORS) known.clear();
    known.set(text, isInside);
    return isInside;
  };
}
