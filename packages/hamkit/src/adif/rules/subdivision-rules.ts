/** States and counties: primary and secondary administrative subdivisions, which depend on the entity. */
import { showValue } from "../../show-value.js";
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";
import type { AdifEnumerationEntry } from "../tables/table-types.js";
import { entryOf, enumerationIndex, fault, type FieldValue, type Fault, outdatedFault } from "./fault.js";

const PRIMARY = "Primary_Administrative_Subdivision";
const SECONDARY = "Secondary_Administrative_Subdivision";
/** Alaska, Hawaii, the other states. */
const USA: ReadonlySet<string> = /* @__PURE__ */ new Set(["6", "110", "291"]);

export function stateFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  const entity = entityOf(at);
  const listed = (enumerationIndex(PRIMARY).get(value.toUpperCase()) ?? []).filter(isOf(entity));
  if (listed.length > 0) {
    const code = listed[0]?.code ?? value;
    const outdated = outdatedFault(at, listed, { enumeration: PRIMARY, to: code });
    if (outdated !== undefined) return outdated;
    if (listed.some((entry) => entry.code === value)) return undefined;
    return fault(at, { level: "none", rule: "state-in-lower-case", expected: "in upper case", to: code });
  }
  // Entities without a list have free text.
  const entries = ENUMERATIONS[PRIMARY].filter(isOf(entity));
  if (entries.length === 0) return undefined;
  const name = value.trim().toUpperCase();
  const named = entries.filter((entry) =>
    [entry.code, entry.name].some((text) => text?.toUpperCase() === name),
  );
  const expected = `the code of a subdivision of entity ${entity ?? "(DXCC is missing)"}`;
  if (named.length === 1) return fault(at, { rule: "state-by-name", expected, to: named[0]?.code });
  return fault(at, { level: entity === undefined ? "warning" : "error", rule: "state-unknown", expected });
}

/** `STATE,County` in the USA. ADIF lists only those of Alaska; other entities have free text. */
export function countyFault(at: FieldValue): Fault | undefined {
  const entity = entityOf(at);
  const malformed = entity === undefined || USA.has(entity) ? usCountyFault(at, at.value) : undefined;
  return malformed ?? (entity === undefined ? undefined : listedCountyFault(at, entity));
}

function listedCountyFault(at: FieldValue, entity: string): Fault | undefined {
  const entries = ENUMERATIONS[SECONDARY].filter(isOf(entity));
  if (entries.length === 0) return undefined;
  const listed = entries.filter(({ code }) => code.toUpperCase() === at.value.toUpperCase());
  if (listed.length > 0) return outdatedFault(at, listed, { enumeration: SECONDARY });
  return fault(at, { level: "error", rule: "county-unknown", expected: `a county of entity ${entity}` });
}

const ALTERNATIVE = "Secondary_Administrative_Subdivision_Alt";

/** `NZ_Regions:Auckland/Rodney`: subdivisions of other lists, by the names of these lists, separated by semicolons. */
export function alternativeCountyFault(at: FieldValue): Fault | undefined {
  const unknown = at.value.split(";").find((code) => entryOf(ALTERNATIVE, code.trim()) === undefined);
  if (unknown === undefined) return undefined;
  const expected = `a list of subdivisions as NZ_Regions:Auckland/Rodney: ${showValue(unknown)} is none`;
  return fault(at, { level: "error", rule: "cnty-alt-unknown", expected });
}

/** The form and the state. */
export function usCountyFault(at: FieldValue, county: string): Fault | undefined {
  const expected = "a county as WI,Pierce";
  if (/^[A-Z]{2},\S/i.test(county) && isUsState(county.slice(0, 2))) return undefined;
  const [, state, name] = /^\s*([A-Z]{2})\s*(?:[,;:/]|-|\s-\s)\s*(\S.*)$/i.exec(county) ?? [];
  if (state === undefined || name === undefined || !isUsState(state))
    return fault(at, { rule: "county-without-state", expected });
  return fault(at, { rule: "county-form", expected, to: `${state.toUpperCase()},${name.trim()}` });
}

function isUsState(code: string): boolean {
  const entries = enumerationIndex(PRIMARY).get(code.toUpperCase()) ?? [];
  return entries.some(({ dxcc }) => USA.has(String(dxcc)));
}

/** The entity that scopes the field; `undefined` if the record doesn't have it. */
function entityOf({ field, record }: FieldValue): string | undefined {
  const value = record[field.scope ?? "DXCC"]?.trim().replace(/^0+(?=\d)/, "");
  return value === "" ? undefined : value;
}

function isOf(entity: string | undefined): (entry: AdifEnumerationEntry) => boolean {
  return ({ dxcc }) => entity === undefined || String(dxcc) === entity;
}
