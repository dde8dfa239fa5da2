/** The answer to a search: a station, a place, or both. */
import { findBand } from "hamkit/frequency";
import { latlongToLocator, locatorToLatlong, type Position } from "hamkit/locator";

import type { Search } from "../search/search-text.js";
import type { FoundStation } from "./look-up.js";
import type { LoggedPath } from "./station-facts.js";

export interface Result {
  /** The call, or else the locator. */
  readonly title: string;
  readonly station: FoundStation | undefined;
  /** Where it is; `undefined` at sea, in the air, or for a call of no country. */
  readonly position: Position | undefined;
  readonly locator: string | undefined;
  /** Whether the place is that of a locator, not the middle of a country. */
  readonly isExact: boolean;
  /** Why something is missing. */
  readonly note: string | undefined;
  /** `14.074 MHz, 20m, DIGITAL` */
  readonly frequency: string | undefined;
  readonly frequencyKHz: number | undefined;
  /** Of a QSO that was chosen in the log: the path in its row, which may be from another place than the own one. */
  readonly logged?: LoggedPath | undefined;
}

/** @param found The station of the call, or the reason for which it has none. */
export function resultOf(search: Search, found: FoundStation | string | undefined): Result {
  const station = typeof found === "object" ? found : undefined;
  const { latitude, longitude } = station ?? {};
  const hasPlace = latitude !== undefined && longitude !== undefined;
  const place = search.locator === undefined ? undefined : positionOf(search.locator);
  const position = place ?? (hasPlace ? { latitude, longitude } : undefined);
  const isMobile = station !== undefined && !hasPlace && place === undefined;
  return {
    title: search.call ?? search.locator ?? "",
    station,
    position,
    locator: search.locator ?? (position && latlongToLocator(position.latitude, position.longitude)),
    isExact: place !== undefined,
    note:
      typeof found === "string" ? found : isMobile ? "Its place is known from its locator alone." : undefined,
    frequency: search.frequencyKHz === undefined ? undefined : frequencyText(search.frequencyKHz),
    frequencyKHz: search.frequencyKHz,
  };
}

function positionOf(locator: string): Position {
  const [latitude, longitude] = locatorToLatlong(locator);
  return { latitude, longitude };
}

function frequencyText(kHz: number): string {
  const { adif, mode } = findBand(kHz) ?? {};
  const plan = adif === undefined ? "outside of the bands" : `${adif}${mode ? `, ${mode}` : ""}`;
  return `${Number((kHz / 1000).toFixed(6))} MHz, ${plan}`;
}
