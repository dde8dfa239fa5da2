/** Continent, zones, state and county of a contact. */
import { locatorToRectangle } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { isContinent } from "../../lookup/record.js";
import { showValue } from "../../show-value.js";
import { upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";
import type { EntityReader } from "./entities.js";
import { detached } from "../counts/contact-tally.js";
import { gridOf } from "./grids.js";
import { SUBDIVISION_ZONES } from "../generated/subdivision-zones.js";

/** The zones at a place; several at a border. */
export type ZonesAt = (position: Position) => {
  readonly cqz: readonly number[];
  readonly ituz: readonly number[];
};

export interface PlaceReader {
  /** By the table's record of the call, else the log, else the entity. */
  continentOf(contact: LoggedContact): string | undefined;
  /** By the state or province, else the grid, else the table's entry of the call, else the log, else the table's record of the call, else the entity. */
  cqZoneOf(contact: LoggedContact): number | undefined;
  /** By the log, else the state or province, else the table's record of the call, else the entity. */
  ituZoneOf(contact: LoggedContact): number | undefined;
  /** A state of the USA, or DC. */
  stateOf(contact: LoggedContact): string | undefined;
}

export interface PlaceReaderOptions {
  readonly entities: EntityReader;
  readonly sink: ContradictionSink;
  readonly zonesAt: ZonesAt | undefined;
}

const USA = 291;
const ALASKA = 6;
const HAWAII = 110;

export function createPlaceReader({ entities, sink, zonesAt }: PlaceReaderOptions): PlaceReader {
  const grids = zonesAt && gridZoneReader(zonesAt);

  /** The zones of the grid that the entity has; one without any is a mistyped grid, and is reported. */
  function possibleZones(
    contact: LoggedContact,
    zones: readonly number[] | undefined,
  ): readonly number[] | undefined {
    const entity = zones && entities.entityOf(contact);
    if (zones === undefined || entity === undefined || entity.cqz.length === 0) return zones;
    const possible = zones.filter((zone) => entity.cqz.includes(zone));
    if (possible.length > 0) return possible;
    sink.report(
      "grid-entity-conflict",
      contact,
      "GRIDSQUARE",
      ({ record }, there, { name, code, cqz }) =>
        `GRIDSQUARE: ${showValue(record["GRIDSQUARE"])} is in zone ${there.join(" or ")}, but ${name} (${code}) is in ${cqz.join(", ")}`,
      contact,
      zones,
      entity,
    );
    return undefined;
  }

  function findContinent(contact: LoggedContact): string | undefined {
    const text = upperCase(contact.record["CONT"]);
    const logged = isContinent(text) ? text : undefined;
    if (text !== "" && logged === undefined)
      sink.report(
        "continent-unknown",
        contact,
        "CONT",
        (value) => `CONT: ${showValue(value)} is no continent`,
        text,
      );
    const entity = entities.entityOf(contact);
    const record = entities.recordOf(contact);
    // Country files have no continent for Antarctica.
    if (record !== undefined && entity?.continents.includes(record.continent) === true) {
      if (logged !== undefined && logged !== record.continent)
        sink.report(
          "continent-call-conflict",
          contact,
          "CONT",
          (value, { call }, { continent }) => `CONT: ${value}, but ${call} is in ${continent}`,
          logged,
          contact,
          record,
        );
      return record.continent;
    }
    if (entity === undefined) return logged;
    const { continents } = entity;
    if (logged === undefined) return continents.length === 1 ? continents[0] : undefined;
    if (continents.length === 0 || continents.includes(logged)) return logged;
    sink.report(
      "continent-entity-conflict",
      contact,
      "CONT",
      (value, { name, code, continents: places }) =>
        `CONT: ${value}, but ${name} (${code}) is in ${places.join(" or ")}`,
      logged,
      entity,
    );
    return continents.length === 1 ? continents[0] : logged;
  }

  // It is asked for by the profile of each contact, and by WAC.
  let last: LoggedContact | undefined;
  let lastContinent: string | undefined;

  return {
    continentOf(contact) {
      if (contact !== last) {
        last = contact;
        lastContinent = findContinent(contact);
      }
      return lastContinent;
    },

    cqZoneOf(contact) {
      const logged = zoneIn(contact, "CQZ", CQ_ZONES, sink);
      const state = subdivisionZones(contact)?.cqz;
      if (state !== undefined) {
        if (state.length === 1) {
          if (logged !== undefined && logged !== state[0])
            sink.report("zone-state-conflict", contact, "CQZ", stateConflict, contact, logged, state);
          return state[0];
        }
        if (logged !== undefined) {
          if (state.includes(logged)) return logged;
          sink.report("zone-state-conflict", contact, "CQZ", stateConflict, contact, logged, state);
          return undefined;
        }
      }
      const grid = possibleZones(contact, grids?.(contact)?.cqz);
      if (grid !== undefined) {
        if (logged !== undefined && grid.includes(logged)) return logged;
        if (logged !== undefined)
          sink.report("zone-grid-conflict", contact, "CQZ", gridConflict, contact, logged, grid);
        if (grid.length === 1) return grid[0];
      }
      const entry = entities.entryOf(contact);
      if (entry?.cqz !== undefined && entry.cqz > 0) {
        if (logged !== undefined && logged !== entry.cqz)
          sink.report("zone-call-conflict", contact, "CQZ", callConflict, contact, logged, entry.cqz);
        return entry.cqz;
      }
      if (logged !== undefined) {
        const entity = entities.entityOf(contact);
        if (entity === undefined || entity.cqz.length === 0 || entity.cqz.includes(logged)) return logged;
        sink.report(
          "zone-entity-conflict",
          contact,
          "CQZ",
          (zone, { name, code, cqz }) => `CQZ: ${zone}, but ${name} (${code}) is in ${cqz.join(", ")}`,
          logged,
          entity,
        );
        return onlyOne(entity.cqz) ?? logged;
      }
      return entities.recordOf(contact)?.cqz ?? onlyOne(entities.entityOf(contact)?.cqz);
    },

    ituZoneOf(contact) {
      const logged = zoneIn(contact, "ITUZ", ITU_ZONES, sink);
      if (logged !== undefined) return logged;
      return (
        onlyOne(subdivisionZones(contact)?.ituz) ??
        onlyOne(grids?.(contact)?.ituz) ??
        entities.recordOf(contact)?.ituz ??
        onlyOne(entities.entityOf(contact)?.ituz)
      );
    },

    stateOf(contact) {
      const code = entities.entityOf(contact)?.code;
      const state = upperCase(contact.record["STATE"]);
      if (code === ALASKA || code === HAWAII) {
        const only = code === ALASKA ? "AK" : "HI";
        if (state === "" || state === only) return only;
        sink.report(
          "state-entity-conflict",
          contact,
          "STATE",
          (value, entity, right) => `STATE: ${showValue(value)}, but DXCC ${entity} is ${right}`,
          state,
          code,
          only,
        );
        return undefined;
      }
      if (code !== USA || state === "") return undefined;
      if (state === "AK" || state === "HI") {
        const right = state === "AK" ? ALASKA : HAWAII;
        sink.report(
          "state-entity-conflict",
          contact,
          "STATE",
          (value, entity, other) => `STATE: ${value} is DXCC ${entity}, not ${other}`,
          state,
          right,
          code,
        );
        return state;
      }
      if (SUBDIVISION_ZONES.get(`${USA} ${state}`) !== undefined) return state;
      sink.report(
        "state-unknown",
        contact,
        "STATE",
        (value) => `STATE: ${showValue(value)} is no state of the USA`,
        state,
      );
      return undefined;
    },
  };
}

const CQ_ZONES = 40;
const ITU_ZONES = 90;

function zoneIn(
  contact: LoggedContact,
  field: "CQZ" | "ITUZ",
  count: number,
  sink: ContradictionSink,
): number | undefined {
  const text = contact.record[field];
  if (text === undefined || text === "") return undefined;
  const zone = Number(text);
  if (Number.isInteger(zone) && zone >= 1 && zone <= count) return zone;
  sink.report("zone-unknown", contact, field, zoneText, field, text, count);
  return undefined;
}

function zoneText(field: string, text: string, count: number): string {
  return `${field}: ${showValue(text)} is no zone from 1 to ${count}`;
}

function subdivisionZones({
  record,
}: LoggedContact): { cqz: readonly number[]; ituz: readonly number[] } | undefined {
  const { STATE: state, DXCC: dxcc } = record;
  if (state === undefined || dxcc === undefined || state === "") return undefined;
  return (
    SUBDIVISION_ZONES.get(`${dxcc} ${state}`) ?? SUBDIVISION_ZONES.get(`${Number(dxcc)} ${upperCase(state)}`)
  );
}

type PlaceZones = ReturnType<ZonesAt>;

/** Locators whose zones are kept. */
const MAX_LOCATORS = 10_000;

/** A function for the zones of which a part is in the contact's square or subsquare. */
function gridZoneReader(zonesAt: ZonesAt): (contact: LoggedContact) => PlaceZones | undefined {
  const known = new Map<string, PlaceZones>();
  return ({ record }) => {
    const locator = record["GRIDSQUARE"]?.slice(0, 6);
    if (locator === undefined || gridOf(locator) === undefined) return undefined;
    const precise = /^.{4}[A-X]{2}$/i.test(locator) ? locator : locator.slice(0, 4);
    let zones = known.get(precise);
    if (zones === undefined) {
      if (known.size >= MAX_LOCATORS) known.clear();
      const found = pointsIn(precise).map((point) => zonesAt(point));
      zones = {
        cqz: unique(found.flatMap(({ cqz }) => cqz)),
        ituz: unique(found.flatMap(({ ituz }) => ituz)),
      };
      known.set(detached(precise), zones);
    }
    return zones.cqz.length === 0 ? undefined : zones;
  };
}

/** The center, and points near the corners: on them, places have the zones of the squares beside too. */
function pointsIn(locator: string): Position[] {
  const { west, south, east, north } = locatorToRectangle(locator, "GRIDSQUARE");
  const longitude = (share: number) => west + (east - west) * share;
  const latitude = (share: number) => south + (north - south) * share;
  const corners = [0.01, 0.99].flatMap((x) => [0.01, 0.99].map((y) => [x, y] as const));
  return [[0.5, 0.5] as const, ...corners].map(([x, y]) => ({
    latitude: latitude(y),
    longitude: longitude(x),
  }));
}

function unique(zones: readonly number[]): number[] {
  return Array.from(new Set(zones)).sort((a, b) => a - b);
}

function onlyOne(zones: readonly number[] | undefined): number | undefined {
  return zones?.length === 1 ? zones[0] : undefined;
}

function stateConflict({ record }: LoggedContact, logged: number, zones: readonly number[]): string {
  return `CQZ: ${logged}, but ${showValue(record["STATE"])} is in zone ${zones.join(" or ")}`;
}

function callConflict({ call }: LoggedContact, logged: number, zone: number): string {
  return `CQZ: ${logged}, but ${call} is in zone ${zone}`;
}

function gridConflict({ record }: LoggedContact, logged: number, zones: readonly number[]): string {
  return `CQZ: ${logged}, but ${showValue(record["GRIDSQUARE"])} is in zone ${zones.join(" or ")}`;
}
