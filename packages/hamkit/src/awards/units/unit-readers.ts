/** Reads the units of a contact, by the kind of unit that an award counts. */
import type { AwardRule, AwardUnitKind } from "../rules/award-rule.js";
import { upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";
import type { EntityReader } from "./entities.js";
import type { PlaceReader } from "./places.js";
import { gridsOf } from "./grids.js";
import { countedCounties, islandGroupOf, referenceReader } from "./references.js";
import { showValue } from "../../show-value.js";
import type { AwardUnit } from "../counts/contact-tally.js";
import { waeCountryOf } from "./wae-countries.js";
import { wpxPrefix } from "./wpx-prefix.js";

/** Readers that the readers of units share. */
export interface AwardReaders {
  readonly entities: EntityReader;
  readonly places: PlaceReader;
  readonly sink: ContradictionSink;
}

/** The unit of a contact, several, or none. */
export type UnitReader = (contact: LoggedContact) => AwardUnit | readonly AwardUnit[] | undefined;

/** The reader of a rule's units. */
export function unitReader(rule: AwardRule, readers: AwardReaders): UnitReader {
  return READERS[rule.unit](rule, readers);
}

const READERS: Readonly<Record<AwardUnitKind, (rule: AwardRule, readers: AwardReaders) => UnitReader>> = {
  entity:
    (_rule, { entities }) =>
    (contact) =>
      entities.countedEntityOf(contact)?.code,
  state:
    (_rule, { places }) =>
    (contact) =>
      places.stateOf(contact),
  cqz:
    (_rule, { places }) =>
    (contact) =>
      places.cqZoneOf(contact),
  ituz:
    (_rule, { places }) =>
    (contact) =>
      places.ituZoneOf(contact),
  continent:
    (_rule, { places }) =>
    (contact) =>
      places.continentOf(contact),
  grid:
    (_rule, { sink }) =>
    (contact) =>
      gridsOf(contact, sink),
  prefix: (_rule, { sink }) => prefixReader(sink),
  iota: (_rule, readers) => (contact) => islandGroupOf(contact, readers),
  pota: ({ own = false }, { sink }) => referenceReader("pota", { own, sink }),
  sota: ({ own = false }, { sink }) => referenceReader("sota", { own, sink }),
  wwff: ({ own = false }, { sink }) => referenceReader("wwff", { own, sink }),
  county:
    (_rule, { sink }) =>
    (contact) =>
      countedCounties(contact, sink),
  wae: (_rule, readers) => (contact) => waeCountryOf(contact, readers),
  field: (rule) => fieldReader(rule),
};

/** By the field PFX, else the call. */
function prefixReader(sink: AwardReaders["sink"]): UnitReader {
  return (contact) => {
    const { call, record } = contact;
    if (call === "") sink.report("call-missing", contact, "CALL", () => "CALL: missing");
    const prefix = wpxPrefix(call);
    const { PFX: field } = record;
    if (field === undefined || field === "" || field === prefix) return prefix;
    const logged = upperCase(field);
    if (logged !== prefix)
      sink.report(
        "prefix-conflict",
        contact,
        "PFX",
        (value, text, right) => `PFX: ${showValue(value)}, but ${showValue(text)} has the prefix ${right}`,
        logged,
        call,
        prefix,
      );
    return /^[A-Z0-9]{2,8}$/.test(logged) ? logged : prefix;
  };
}

/** Values of one field that are read: a hostile value has millions. */
const MAX_VALUES = 100;
const MAX_LENGTH = 100;

function fieldReader({ fields = [], split }: AwardRule): UnitReader {
  return ({ record }) => {
    for (const field of fields) {
      const value = upperCase(record[field]);
      if (value === "") continue;
      if (split === undefined) return value.slice(0, MAX_LENGTH);
      return value
        .split(split, MAX_VALUES)
        .map((part) => part.trim().slice(0, MAX_LENGTH))
        .filter((part) => part !== "");
    }
    return undefined;
  };
}
