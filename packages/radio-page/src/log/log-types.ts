/** What the page and the worker of its logs tell each other. */
import type { MapEntity, MapPath, MapSquare } from "hamkit/map";

/** A value, and the number of QSOs that have it. */
export interface Count {
  readonly name: string;
  readonly qsos: number;
}

/** A log that is open. */
export interface LogFile {
  readonly id: string;
  readonly name: string;
  readonly qsos: number;
}

/** All logs that are open. */
export interface LogOverview {
  /** In the order in which they were opened. */
  readonly logs: readonly LogFile[];
  readonly qsos: number;
  /** In ascending order of frequency. */
  readonly bands: readonly Count[];
  /** The most used first. */
  readonly modes: readonly Count[];
  /** By log, in the order of their lines, at most `MAX_UNREAD` of each. */
  readonly unread: readonly UnreadLine[];
  /** Number of all. */
  readonly unreadCount: number;
  /** Why logs are not kept on this device, or could not be read from it. */
  readonly problem?: string | undefined;
}

/** What could not be read, or whose station could not be identified. */
export interface UnreadLine {
  /** In the file, from 1. */
  readonly line: number;
  readonly message: string;
}

export const CONFIRMATIONS = ["any", "confirmed", "unconfirmed", "card", "lotw", "eqsl"] as const;
export type ConfirmationFilter = (typeof CONFIRMATIONS)[number];

/** What to show. An empty list or text shows all. */
export interface LogFilter {
  /** Ids. */
  readonly logs: readonly string[];
  readonly bands: readonly string[];
  readonly modes: readonly string[];
  /** Words that a QSO has, in any of its fields that are shown, or in name and comment. */
  readonly text: string;
  /** Days from and until which, `2024-06-01`; both inclusive. */
  readonly from: string;
  readonly until: string;
  readonly confirmation: ConfirmationFilter;
}

export const NO_FILTER: LogFilter = {
  logs: [],
  bands: [],
  modes: [],
  text: "",
  from: "",
  until: "",
  confirmation: "any",
};

export interface LogSort {
  readonly column: keyof LogRow;
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: LogSort = { column: "time", isDescending: true };

/** The part of the logs that a filter shows. */
export interface ShownLog {
  readonly qsos: number;
  /** The most worked first. */
  readonly entities: readonly Count[];
  readonly cqZones: readonly Count[];
  readonly bands: readonly Count[];
}

/** The same on the map. */
export interface ShownPlaces {
  readonly squares: readonly MapSquare[];
  readonly entities: readonly MapEntity[];
  readonly paths: readonly MapPath[];
}

/** A row of the table; a value that the QSO lacks is "". */
export interface LogRow {
  readonly line: number;
  /** `2024-06-01 12:00` in UTC. */
  readonly time: string;
  readonly call: string;
  readonly band: string;
  readonly mode: string;
  readonly country: string;
  readonly cqz: string;
  readonly ituz: string;
  readonly locator: string;
  readonly distanceKm: string;
  readonly heading: string;
  /** `card, LoTW` */
  readonly confirmed: string;
  /** The locator of its coordinates, where the QSO has these instead of a locator. */
  readonly coordinates?: string | undefined;
}

/** An award, with a row for all bands and for each band of the log. */
export interface AwardProgress {
  readonly id: string;
  readonly name: string;
  readonly rows: readonly AwardRow[];
}

export interface AwardRow {
  /** `All bands`, `20m`, or the name of the count. */
  readonly label: string;
  readonly key: string;
  readonly band?: string | undefined;
  readonly worked: number;
  readonly confirmed: number;
  /** Not worked; `undefined` where not all units are known. */
  readonly missing: number | undefined;
}

/** What is missing from a row. */
export interface MissingUnits {
  readonly unworked: readonly string[];
  readonly unconfirmed: readonly string[];
}
