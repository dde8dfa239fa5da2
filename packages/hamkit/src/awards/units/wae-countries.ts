/** Countries of the WAE list: European entities, and five regions that count instead of theirs. */
import { CURRENT_ENTITIES, entityByCode, type DatedEntity, type EntityReader } from "./entities.js";
import { upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";
import { wpxPrefix } from "./wpx-prefix.js";

const AUSTRIA = 206;
const ITALY = 248;
const SVALBARD = 259;
const SCOTLAND = 279;
const TURKEY = 390;
const KOSOVO = "522";

/** The regions of ADIF's enumeration Region, their entities, and their names in country files. African Italy is none of Europe. */
const REGIONS: Readonly<Record<string, { entity: number; names: readonly string[] }>> = {
  AI: { entity: ITALY, names: ["African Italy"] },
  BI: { entity: SVALBARD, names: ["Bear Island"] },
  ET: { entity: TURKEY, names: ["European Turkey"] },
  IV: { entity: AUSTRIA, names: ["Vienna Intl Ctr"] },
  SI: { entity: SCOTLAND, names: ["Shetland Islands", "Shetland and Fair Isle"] },
  SY: { entity: ITALY, names: ["Sicily"] },
};
const REGION_BY_NAME: ReadonlyMap<string, string> = /* @__PURE__ */ regionsByName();
const NOT_IN_EUROPE = "AI";

/** Current countries: 68 entities and 5 regions. Turkey counts by its European part alone. */
export const WAE_COUNTRIES: readonly string[] = /* @__PURE__ */ waeCountries();

function regionsByName(): Map<string, string> {
  return new Map(
    Object.entries(REGIONS).flatMap(([region, { names }]) => names.map((name) => [name, region] as const)),
  );
}

function waeCountries(): string[] {
  return [
    ...CURRENT_ENTITIES.filter((code) => isEuropean(entityByCode(code))).map(String),
    ...Object.keys(REGIONS).filter((region) => region !== NOT_IN_EUROPE),
  ].toSorted();
}

/** The WAE country of a contact; `undefined` outside Europe. */
export function waeCountryOf(
  contact: LoggedContact,
  { entities, sink }: { entities: EntityReader; sink: ContradictionSink },
): string | undefined {
  const region = upperCase(contact.record["REGION"]);
  // Kosovo was a country of the list before it became an entity.
  if (region === "KO") return KOSOVO;
  const entity = entities.countedEntityOf(contact);
  if (entity === undefined) return undefined;
  const found = regionOf(contact, entity, region, { entities, sink });
  if (found === NOT_IN_EUROPE) return undefined;
  return found ?? (isEuropean(entity) ? String(entity.code) : undefined);
}

function isEuropean(entity: DatedEntity | undefined): boolean {
  return entity !== undefined && entity.code !== TURKEY && entity.continents.includes("EU");
}

function regionOf(
  contact: LoggedContact,
  entity: DatedEntity,
  region: string,
  { entities, sink }: { entities: EntityReader; sink: ContradictionSink },
): string | undefined {
  if (region === "NONE") return undefined;
  const named = Object.hasOwn(REGIONS, region) ? REGIONS[region] : undefined;
  if (named?.entity === entity.code) return region;
  if (named !== undefined)
    sink.report(
      "region-entity-conflict",
      contact,
      "REGION",
      () => `REGION: ${region} belongs to DXCC ${named.entity}, not ${entity.code}`,
    );
  const country = entities.recordOf(contact)?.country ?? "";
  return waeRegionOf(contact.call, {
    code: entity.code,
    country,
    continent: upperCase(contact.record["CONT"]),
  });
}

/**
 * The region of a station, by the name of its country in country files, or by its call; `undefined` for a station that counts for
 * its entity.
 */
export function waeRegionOf(
  call: string,
  {
    code,
    country,
    continent,
  }: { readonly code: number; readonly country: string; readonly continent: string },
): string | undefined {
  return REGION_BY_NAME.get(country) ?? regionByCall(call, code, continent);
}

/** Without a table: the prefixes that belong to one region. Shetland and Bear Island have none. */
function regionByCall(call: string, code: number, continent: string): string | undefined {
  if (code === ITALY) {
    const prefix = wpxPrefix(call) ?? "";
    if (/^I[GH]9$/.test(prefix)) return "AI";
    return /^I[A-Z]9$/.test(prefix) ? "SY" : undefined;
  }
  if (code === TURKEY) {
    if (continent === "EU") return "ET";
    return /^(?:T[A-C]|YM)1$/.test(wpxPrefix(call) ?? "") ? "ET" : undefined;
  }
  return code === AUSTRIA && /^4U.*(?:VIC|\/V)|^4U1A$/.test(call) ? "IV" : undefined;
}
