/** The table that log XML makes. */
import { showValue } from "../show-value.js";
import { datedValue } from "../lookup/dated-entries.js";
import type { EntityEntry, TableSource } from "../lookup/source.js";
import {
  INVALID_RECORD,
  isContinent,
  MOBILE_RECORDS,
  type CallsignRecord,
  type Continent,
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
  /** Calls and prefixes that were read. */
  readonly size: number;
  /** Entries left out because they could not be read. */
  readonly skipped: number;
  /** DXCC entities that the file has, deleted ones included. */
  readonly entityCount: number;
}

export interface LogXmlTableOptions {
  /** What the file is called in messages. */
  readonly file: string;
  /** Is told of each entry that is left out. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** So many warnings of one file are enough to see what is wrong with it. */
const MOST_WARNINGS = 10;
/** Nodes of a prefix tree: the service's file needs about 6,000. */
const TREE_ROOM = 8000;

/** A table that is being filled. */
export interface LogXmlTableBuilder {
  readonly sink: LogXmlSink;
  /** The table, when all has been handed over. */
  finish(): LogXml;
}

/** A table of all entries that can be used. */
export function createLogXmlTable({ file, warn }: LogXmlTableOptions): LogXmlTableBuilder {
  const entities = new Map<number, EntityEntry>();
  const builder = createListTable({ entities, room: TREE_ROOM });
  const take = createTaker(builder, entities);
  let day: string | undefined;
  let skipped = 0;
  const fault = (section: SectionName, problem: string): void => {
    skipped++;
    if (skipped <= MOST_WARNINGS) warn?.(`${file}: left out an entry of ${section}: ${problem}`);
  };

  return {
    sink: {
      date(text) {
        day = /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
      },
      fault,
      entry(entry) {
        try {
          take(entry);
        } catch (failure) {
          if (!(failure instanceof EntryFault)) throw failure;
          fault(entry.section, failure.message);
        }
      },
    },
    finish() {
      if (skipped > MOST_WARNINGS) warn?.(`${file}: left out ${skipped} entries in all`);
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

/** Puts an entry where it belongs, or throws why it can't. */
function createTaker(
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

/** Thousands of entries tell the same facts, mostly those of the entry before, and share their record. */
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

/** 0 stands where an entity has several. */
function zoneOf(name: string, text: string | undefined): number {
  return numberOf(name, text, 0, 40);
}

function numberOf(name: string, text: string | undefined, lowest: number, highest: number): number {
  const value = toNumber(text);
  if (Number.isInteger(value) && value >= lowest && value <= highest) return value;
  throw new EntryFault(`expected ${name} from ${lowest} to ${highest}, found ${showValue(text)}`);
}

function continentOf(text: string | undefined): Continent {
  if (isContinent(text)) return text;
  throw new EntryFault(`expected cont, a continent, found ${showValue(text)}`);
}

/** Degrees, east and north positive as hamkit has them. Adding 0 turns -0 into 0. */
function degreesOf(name: string, text: string | undefined, limit: number): number {
  const value = toNumber(text);
  if (Math.abs(value) <= limit) return value + 0;
  throw new EntryFault(`expected ${name} from -${limit} to ${limit} degrees, found ${showValue(text)}`);
}
