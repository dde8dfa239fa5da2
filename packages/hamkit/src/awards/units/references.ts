/** References of island groups, parks, summits, reserves and counties. */
import { presentReference } from "../../references/renamed-references.js";
import { showValue } from "../../show-value.js";
import { upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";
import type { DatedEntity, EntityReader } from "./entities.js";

/** Programs whose references have a field of their own, or are in SIG_INFO. */
export type ActivityProgram = "pota" | "sota" | "wwff";

interface ReferenceForm {
  readonly field: string;
  /** The program's name in SIG. */
  readonly sig: string;
  readonly form: RegExp;
  readonly example: string;
}

const FORMS: Readonly<Record<ActivityProgram, ReferenceForm>> = {
  pota: { field: "POTA_REF", sig: "POTA", form: /^[A-Z0-9]{1,4}-[0-9]{4,5}$/, example: "US-0001" },
  sota: { field: "SOTA_REF", sig: "SOTA", form: /^[A-Z0-9]{1,8}\/[A-Z]{2}-[0-9]{3}$/, example: "G/LD-001" },
  wwff: { field: "WWFF_REF", sig: "WWFF", form: /^[A-Z0-9]{1,4}FF-[0-9]{4}$/, example: "DLFF-0001" },
};

/** More references in one value are not read. Ten parks at once have been activated. */
const MAX_REFERENCES = 20;

/** Reads the references of a contact, or of the own station. */
export function referenceReader(
  program: ActivityProgram,
  { own, sink }: { own: boolean; sink: ContradictionSink },
): (contact: LoggedContact) => readonly string[] | undefined {
  const { sig, form, example } = FORMS[program];
  const prefix = own ? "MY_" : "";
  const field = `${prefix}${FORMS[program].field}`;
  const sigField = `${prefix}SIG`;
  const infoField = `${prefix}SIG_INFO`;

  function referencesIn(text: string, source: string, contact: LoggedContact): readonly string[] {
    const references: string[] = [];
    for (const part of text.split(",", MAX_REFERENCES)) {
      // A park in several states has the place behind it: US-4567@US-NY.
      const reference = (part.split("@", 1)[0] ?? "").trim().toUpperCase();
      if (!form.test(reference)) {
        sink.report(
          "reference-unknown",
          contact,
          source,
          () => `${source}: ${showValue(part)} is no reference as ${example}`,
        );
        continue;
      }
      const current = program === "pota" ? presentReference(reference, contact.day) : reference;
      if (current !== reference)
        sink.report("reference-renamed", contact, source, () => `${source}: ${reference} is ${current} now`);
      if (!references.includes(current)) references.push(current);
    }
    return references;
  }

  return (contact) => {
    const { record } = contact;
    const text = record[field];
    if (text !== undefined && text !== "") return referencesIn(text, field, contact);
    if (record[sigField] === undefined || upperCase(record[sigField]) !== sig) return undefined;
    const info = record[infoField];
    return info === undefined || info === "" ? undefined : referencesIn(info, infoField, contact);
  };
}

const IOTA = /^(AF|AN|AS|EU|NA|OC|SA)[- ]?([0-9]{3})$/;

/** The island group of a contact. One of another continent than that of the entity is reported, and counts. */
export function islandGroupOf(
  contact: LoggedContact,
  { entities, sink }: { entities: EntityReader; sink: ContradictionSink },
): string | undefined {
  const text = upperCase(contact.record["IOTA"]);
  if (text === "") return undefined;
  const [, continent = "", number = ""] = IOTA.exec(text) ?? [];
  if (number === "" || number === "000") {
    sink.report(
      "reference-unknown",
      contact,
      "IOTA",
      () => `IOTA: ${showValue(text)} is no reference as EU-005`,
    );
    return undefined;
  }
  const reference = `${continent}-${number}`;
  const entity = entities.entityOf(contact);
  if (entity !== undefined && !fits(continent, entity))
    sink.report(
      "reference-entity-conflict",
      contact,
      "IOTA",
      () => `IOTA: ${reference}, but ${entity.name} (${entity.code}) is in ${entity.continents.join(" or ")}`,
    );
  return reference;
}

/** IOTA draws the borders of Antarctica otherwise than DXCC. */
function fits(continent: string, { code, continents }: DatedEntity): boolean {
  return (
    continent === "AN" ||
    continents.includes(continent) ||
    `${code} ${continent}` === LAMPEDUSA ||
    `${code} ${continent}` === SOCOTRA
  );
}

/** Islands on another continent than their entity: AF-019 belongs to Italy, AF-028 to Yemen. */
const LAMPEDUSA = "248 AF";
const SOCOTRA = "492 AF";

/** Cities of these states belong to no county. James City and Charles City are counties. */
const INDEPENDENT_CITY = /^(?:VA,(?!JAMES |CHARLES ).+ CITY|MD,BALTIMORE CITY|MO,S(?:AIN)?T\.? LOUIS CITY)$/;
const COUNTY = /^[A-Z]{2},[^,:]{2,40}$/;

/** The counties of a contact: those of USACA_COUNTIES, else that of CNTY. */
export function countedCounties(
  contact: LoggedContact,
  sink: ContradictionSink,
): readonly string[] | undefined {
  const { USACA_COUNTIES: list, CNTY: county } = contact.record;
  const field = list === undefined || list === "" ? "CNTY" : "USACA_COUNTIES";
  const text = field === "CNTY" ? county : list;
  if (text === undefined || text === "") return undefined;
  const counties: string[] = [];
  for (const part of text.split(":", MAX_REFERENCES)) {
    const name = upperCase(part).replace(/,\s+/, ",");
    if (!COUNTY.test(name))
      sink.report(
        "county-unknown",
        contact,
        field,
        () => `${field}: ${showValue(part)} is no county as MA,Franklin`,
      );
    else if (INDEPENDENT_CITY.test(name))
      sink.report(
        "county-independent-city",
        contact,
        field,
        () => `${field}: ${part} is an independent city: it counts for a neighboring county of your choice`,
      );
    else counties.push(name);
  }
  return counties;
}
