/** Makes a table of the entries of log XML. */
import { showValue } from "../show-value.js";
import { datedValue } from "../lookup/dated-entries.js";
import type { EntityEntry, TableSource } from "../lookup/source.js";
import {
  INVALID_RECORD,
  isContinent,
  MOBILE_RECORDS,
  type CallsignRecord,
  type LandContinent,
} from "../lookup/record.js";
import { createListTable, detachedText, type ListTableBuilder } from "../lookup/table.js";
import { toNumber } from "../text/file-text.js";
import {
  EntryFault,
  periodOf,
  type Facts,
  type LogXmlEntry,
  type LogXmlSink,
  type SectionName,
} from "./log-xml-entry.js";

/** Log XML in memory. */
export interface LogXml extends TableSource {
  /** Number of calls and prefixes. */
  readonly size: number;
  /** Number of unreadable entries. */
  readonly skipped: number;
  /** Number of DXCC entities, deleted ones included. */
  readonly entityCount: number;
}

export interface LogXmlTableOptions {
  /** Name of the file in messages. */
  readonly file: string;
  /** Receives a warning for each skipped entry. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Of one file. */
const MAX_WARNINGS = 10;
/** Nodes of a prefix tree: the service's file needs about 6,000. */
const TREE_ROOM = 8000;

/** Fills a table with entries. */
export interface LogXmlTableBuilder {
  readonly sink: LogXmlSink;
  /** The table, after the last entry. */
  finish(): LogXml;
}

/** An empty table that takes all usable entries. */
export function createLogXmlTable({ file, warn }: LogXmlTableOptions): LogXmlTableBuilder {
  const entities = new Map<number, EntityEntry>();
  const builder = createListTable({ entities, room: TREE_ROOM });
  const add = createAdder(builder, entities);
  let day: string | undefined;
  let skipped = 0;
  const fault = (section: SectionName, problem: string): void => {
    skipped++;
    if (skipped <= MAX_WARNINGS) warn?.(`${file}: left out an entry of ${section}: ${problem}`);
  };

  return {
    sink: {
      date(text) {
        day = /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
      },
      fault,
      entry(entry) {
        try {
          add(entry);
        } catch (failure) {
          if (!(failure instanceof EntryFault)) throw failure;
          fault(entry.section, failure.message);
        }
      },
    },
    finish() {
      if (skipped > MAX_WARNINGS) warn?.(`${file}: left out ${skipped} entries in all`);
      return {
        ...builder.table,
        name: file,
        date: day,
        size: builder.size(),
        skipped,
        entityCount: entities.size,
      };
    },
  };
}

/** Adds an entry to its section. Throws an `EntryFault` for an unusable one. */
function createAdder(
  builder: ListTableBuilder,
  entities: Map<number, EntityEntry>,
): (entry: LogXmlEntry) => void {
  const recordOf = createRecordPool();
  return (entry) => {
    const { section, call, id, period, facts } = entry;
    switch (section) {
      case "entities": {
        const entity = toEntity(entry);
        entities.set(entity.adif, entity);
        break;
      }
      case "exceptions":
        builder.addExact(call, datedValue(recordOf(facts), id, period));
        break;
      case "prefixes":
        builder.addPrefix(call, datedValue(recordOf(facts), id, period));
        break;
      case "invalid_operations":
        builder.addInvalidOperation(call, datedValue<true>(true, id, period));
        break;
      case "zone_exceptions":
        builder.addZoneException(call, datedValue(zoneOf("zone", facts.zone), id, period));
        break;
    }
  };
}

/** Shares records: thousands of entries have the same facts, usually those of the entry before. */
function createRecordPool(): (facts: Facts) => CallsignRecord {
  const pool = new Map<Facts, CallsignRecord>();
  let lastFacts: Facts | undefined;
  let last: CallsignRecord | undefined;
  return (facts) => {
    if (last !== undefined && facts === lastFacts) return last;
    last = pool.get(facts) ?? toRecord(facts);
    lastFacts = facts;
    pool.set(facts, last);
    return last;
  };
}

function toRecord(facts: Facts): CallsignRecord {
  const { entity, adif, cqz, cont, long, lat } = facts;
  if (adif === undefined && entity === INVALID_RECORD.country) return INVALID_RECORD;
  if (adif === undefined && entity === MOBILE_RECORDS.maritime.country) return MOBILE_RECORDS.maritime;
  return Object.freeze({
    country: textOf("entity", entity),
    adif: numberOf("adif", adif, 1, 999),
    cqz: zoneOf("cqz", cqz),
    continent: continentOf(cont),
    longitude: degreesOf("long", long, 180),
    latitude: degreesOf("lat", lat, 90),
  });
}

function toEntity({ facts, period }: LogXmlEntry): EntityEntry {
  const { adif, name, prefix, deleted, cqz, cont, long, lat, whitelist } = facts;
  const { whitelist_start: whitelistStart, whitelist_end: whitelistEnd } = facts;
  const record = Object.freeze({
    country: textOf("name", name),
    prefix: detachedText(prefix ?? ""),
    deleted: isTrue(deleted),
    cqz: zoneOf("cqz", cqz),
    continent: continentOf(cont),
    longitude: degreesOf("long", long, 180),
    latitude: degreesOf("lat", lat, 90),
  });
  return {
    adif: numberOf("adif", adif, 1, 999),
    record,
    start: period.start,
    end: period.end,
    ...(isTrue(whitelist) && { whitelist: periodOf(whitelistStart, whitelistEnd) }),
  };
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toUpperCase() === "TRUE";
}

function textOf(name: string, text: string | undefined): string {
  if (text !== undefined && text.trim() !== "") return detachedText(text.trim());
  throw new EntryFault(`expected ${name}, found none`);
}

/** 0 stands for an entity with several zones. */
function zoneOf(name: string, text: string | undefined): number {
  return numberOf(name, text, 0, 40);
}

function numberOf(name: string, text: string | undefined, min: number, max: number): number {
  const value = toNumber(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new EntryFault(`expected ${name} from ${min} to ${max}, found ${showValue(text)}`);
}

function continentOf(text: string | undefined): LandContinent {
  if (isContinent(text)) return text;
  throw new EntryFault(`expected cont, a continent, found ${showValue(text)}`);
}

/** Degrees, east and north positive. Adding 0 turns -0 into 0. */
function degreesOf(name: string, text: string | undefined, limit: number): number {
  const value = toNumber(text);
  if (Math.abs(value) <= limit) return value + 0;
  throw new EntryFault(`expected ${name} from -${limit} to ${limit} degrees, found ${showValue(text)}`);
}
