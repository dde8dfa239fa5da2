/** The DXCC entity of a contact: by the log, or by a table of callsigns. */
import { ENTITIES } from "../../adif/tables/generated/entity-table.js";
import type { AdifEntity } from "../../adif/tables/table-types.js";
import { identifyAt } from "../../lookup/identify.js";
import type { CallsignRecord } from "../../lookup/record.js";
import type { TableSource } from "../../lookup/source.js";
import { showValue } from "../../show-value.js";
import { isMobile, dayNumberOfDate, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";

/** An entity with its days as numbers. */
export interface DatedEntity extends AdifEntity {
  readonly fromDay: number;
  readonly untilDay: number;
}

const BY_CODE: ReadonlyMap<number, DatedEntity> = /* @__PURE__ */ entitiesByCode();
const BY_TEXT: ReadonlyMap<string, DatedEntity> = /* @__PURE__ */ entitiesByText();

/** The codes of the entities that are not deleted. */
export const CURRENT_ENTITIES: readonly number[] = /* @__PURE__ */ currentEntities();

function entitiesByCode(): Map<number, DatedEntity> {
  return new Map(
    ENTITIES.map((entity) => [
      entity.code,
      {
        ...entity,
        fromDay: entity.from === undefined ? 0 : dayNumberOfDate(entity.from),
        untilDay: entity.until === undefined ? Infinity : dayNumberOfDate(entity.until),
      },
    ]),
  );
}

function entitiesByText(): Map<string, DatedEntity> {
  return new Map(Array.from(BY_CODE, ([code, entity]) => [String(code), entity]));
}

function currentEntities(): number[] {
  return ENTITIES.flatMap(({ code, deleted }) => (code > 0 && deleted !== true ? [code] : []));
}

/** An entity by its code. */
export function entityByCode(code: number): DatedEntity | undefined {
  return BY_CODE.get(code);
}

export interface EntityReader {
  /** The entity at the place of the station, whatever its dates; `undefined` where none is known, or for ships and aircraft. */
  entityOf(contact: LoggedContact): DatedEntity | undefined;
  /** The same; `undefined` also where the entity did not exist on that day. */
  countedEntityOf(contact: LoggedContact): DatedEntity | undefined;
  /** The table's record of the call; `undefined` without a table, and where it has another entity than the log. */
  recordOf(contact: LoggedContact): CallsignRecord | undefined;
  /** That record if the table has an entry for the whole call. */
  entryOf(contact: LoggedContact): CallsignRecord | undefined;
}

/** What the table has for a call. */
interface TableRecord {
  readonly record: CallsignRecord;
  readonly isEntry: boolean;
}

/** Calls whose records are kept: a log has few of them many times. */
const MAX_CALLS = 20_000;

export function createEntityReader(table: TableSource | undefined, sink: ContradictionSink): EntityReader {
  const records = new Map<string, TableRecord | undefined>();

  // Several awards ask for the entity and the record of the same contact.
  let lastLookedUp: LoggedContact | undefined;
  let lastRecord: TableRecord | undefined;

  function tableRecord(contact: LoggedContact): TableRecord | undefined {
    if (contact !== lastLookedUp) {
      lastRecord = lookUp(contact);
      lastLookedUp = contact;
    }
    return lastRecord;
  }

  function lookUp(contact: LoggedContact): TableRecord | undefined {
    if (table === undefined || contact.call === "") return undefined;
    const key = `${contact.call} ${contact.day}`;
    if (records.has(key)) return records.get(key);
    if (records.size >= MAX_CALLS) records.clear();
    const found = identifyAt(contact.call, table, noonOf(contact.day));
    const record =
      found.kind === "identified" && found.record.adif > 0
        ? { record: found.record, isEntry: found.matchedBy === "callsign" && found.assumed !== true }
        : undefined;
    records.set(key, record);
    return record;
  }

  function loggedEntity(contact: LoggedContact): DatedEntity | "none" | undefined {
    const code = contact.record["DXCC"];
    if (code === undefined || code === "") return undefined;
    const entity = BY_TEXT.get(code) ?? BY_CODE.get(codeOf(code));
    if (entity === undefined || entity.code === 0) {
      if (codeOf(code) !== 0)
        sink.report(
          "entity-unknown",
          contact,
          "DXCC",
          (text) => `DXCC: ${showValue(text)} is no DXCC entity`,
          code,
        );
      return "none";
    }
    if (isMobile(contact)) {
      sink.report(
        "entity-at-sea",
        contact,
        "DXCC",
        ({ name }, { call }) => `DXCC: ${name}, but ${showValue(call)} is a ship or an aircraft`,
        entity,
        contact,
      );
      return "none";
    }
    return entity;
  }

  let last: LoggedContact | undefined;
  let lastEntity: DatedEntity | undefined;

  function entityOf(contact: LoggedContact): DatedEntity | undefined {
    if (contact !== last) {
      last = contact;
      lastEntity = findEntity(contact);
    }
    return lastEntity;
  }

  function findEntity(contact: LoggedContact): DatedEntity | undefined {
    const logged = loggedEntity(contact);
    if (logged === "none") return undefined;
    const record = tableRecord(contact)?.record;
    if (logged === undefined) {
      const entity = record === undefined || isMobile(contact) ? undefined : BY_CODE.get(record.adif);
      if (entity === undefined && !isMobile(contact))
        sink.report("entity-missing", contact, "DXCC", missingText, contact, table);
      return entity;
    }
    // Tables of today don't know deleted entities.
    if (record !== undefined && record.adif !== logged.code && logged.deleted !== true)
      sink.report(
        "entity-call-conflict",
        contact,
        "DXCC",
        ({ code, name }, { call }, { country, adif }) =>
          `DXCC: ${code} (${name}), but ${call} is ${country} (${adif})`,
        logged,
        contact,
        record,
      );
    return logged;
  }

  function fittingRecord(contact: LoggedContact): TableRecord | undefined {
    if (table === undefined || isMobile(contact)) return undefined;
    const logged = loggedEntity(contact);
    if (logged === "none") return undefined;
    const found = tableRecord(contact);
    return logged === undefined || found?.record.adif === logged.code ? found : undefined;
  }

  return {
    entityOf,
    countedEntityOf(contact) {
      const entity = entityOf(contact);
      if (entity === undefined || contact.day === 0) return entity;
      if (contact.day >= entity.fromDay && contact.day <= entity.untilDay) return entity;
      sink.report(
        "entity-date-conflict",
        contact,
        "DXCC",
        ({ code, name, from = "the beginning", until = "today" }, { day }) =>
          `DXCC: ${code} (${name}) existed from ${from} to ${until}, not on ${day}`,
        entity,
        contact,
      );
      return undefined;
    },
    recordOf: (contact) => fittingRecord(contact)?.record,
    entryOf(contact) {
      const found = fittingRecord(contact);
      return found?.isEntry === true ? found.record : undefined;
    },
  };
}

function missingText({ call }: LoggedContact, table: TableSource | undefined): string {
  const reason =
    table === undefined ? "no table to identify the call in" : `${showValue(call)} is not identified`;
  return `DXCC: missing, and ${reason}`;
}

function codeOf(text: string): number {
  return /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN;
}

function noonOf(day: number): number {
  if (day === 0) return Date.now();
  return Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100, 12);
}
