/** A fault of a value and, where only one reading is plausible, its repair; values of enumerations that are outdated. */
import { showValue } from "../../show-value.js";
import type { AdifRecord } from "../parse-adif.js";
import type { AdifField, AdifEnumerationEntry, AdifEnumerationName } from "../tables/table-types.js";
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";

/** How serious a finding is. `info` is legal and worth knowing, such as a name that readers accept and writers avoid. */
export type AdifLevel = "error" | "warning" | "info";

/** A finding about the value of a field. */
export interface AdifFinding {
  readonly level: AdifLevel;
  /** The name of the rule, such as `date-impossible`. A name is never reused with another meaning. */
  readonly rule: string;
  /** The name of the field, in upper case. */
  readonly field: string;
  /** The value that was found and the value that was expected. */
  readonly message: string;
}

/** New values by field; `undefined` removes the field. */
export type Fix = Readonly<Record<string, string | undefined>>;

export interface Fault {
  /** `none`: legal, but repaired to the usual form, such as a mode in lower case. */
  readonly level: AdifLevel | "none";
  readonly rule: string;
  readonly field: string;
  readonly message: string;
  readonly fix?: Fix;
}

/** A value with its field and record. */
export interface FieldValue {
  readonly field: AdifField;
  readonly value: string;
  readonly record: AdifRecord;
  /** The last day, as YYYYMMDD, that is not in the future; any when left out. */
  readonly lastDay?: string | undefined;
}

/** The fault of a value; `undefined` if it has none. */
export type ValueRule = (at: FieldValue) => Fault | undefined;

/** A fault of one field with a uniform message. `to` is the repaired value. */
export function fault(
  { field: { name }, value }: FieldValue,
  { level = "warning", rule, expected, to, fix }: FaultFacts,
): Fault {
  const message = `${name}: ${showValue(value)} is not ${expected}`;
  const repair = fix ?? (to === undefined || to === value ? undefined : { [name]: to });
  return { level, rule, field: name, message, ...(repair !== undefined && { fix: repair }) };
}

interface FaultFacts {
  readonly level?: Fault["level"];
  readonly rule: string;
  /** The valid values, as a phrase. */
  readonly expected: string;
  readonly to?: string | undefined;
  readonly fix?: Fix | undefined;
}

// Values of enumerations that readers accept and writers avoid: import-only ones, and deleted ones.

/**
 * The fault of a value by the entries that have its code: several where the field that scopes them is missing, of which one that is
 * current suffices.
 */
export function outdatedFault(
  at: FieldValue,
  entries: readonly AdifEnumerationEntry[],
  { enumeration, to }: { enumeration: AdifEnumerationName; to?: string | undefined },
): Fault | undefined {
  const [entry] = entries;
  if (entry === undefined || entries.some(isCurrent)) return undefined;
  if (entry.importOnly !== true) {
    const expected = `a current value of ${enumeration}; it counts for its time`;
    return fault(at, { level: "info", rule: "deleted-value", expected, to });
  }
  const rule = enumeration === "QSL_Via" ? "qsl-via-manager" : "import-only-value";
  return fault(at, { level: "info", rule, expected: `a value of ${enumeration} that is written today`, to });
}

function isCurrent({ importOnly, deleted }: AdifEnumerationEntry): boolean {
  return importOnly !== true && deleted !== true;
}

/** Entries by code in upper case; several if the enumeration is scoped by another field. */
type EnumerationIndex = ReadonlyMap<string, readonly AdifEnumerationEntry[]>;

const indexes = /* @__PURE__ */ new Map<AdifEnumerationName, EnumerationIndex>();

/** The index of an enumeration, built on first use. */
export function enumerationIndex(name: AdifEnumerationName): EnumerationIndex {
  const known = indexes.get(name);
  if (known !== undefined) return known;
  const index = new Map<string, AdifEnumerationEntry[]>();
  for (const entry of ENUMERATIONS[name]) {
    const code = entry.code.toUpperCase();
    const entries = index.get(code);
    if (entries === undefined) index.set(code, [entry]);
    else entries.push(entry);
  }
  indexes.set(name, index);
  return index;
}

/** The first entry with a code. */
export function entryOf(name: AdifEnumerationName, code: string): AdifEnumerationEntry | undefined {
  return enumerationIndex(name).get(code.toUpperCase())?.[0];
}

/** Whether a name is that of an enumeration with entries. */
export function isEnumeration(name: string | undefined): name is AdifEnumerationName {
  return name !== undefined && Object.hasOwn(ENUMERATIONS, name);
}

/** Words for values that ADIF gives no name, or another one. */
const WORDS: Readonly<Partial<Record<AdifEnumerationName, Readonly<Record<string, string>>>>> = {
  Ant_Path: { SHORT: "S", LONG: "L", SP: "S", LP: "L" },
  EQSL_AG: { YES: "Y", NO: "N", UNKNOWN: "U" },
  QSL_Rcvd: { YES: "Y", CONFIRMED: "Y", INVALID: "I", IGNORE: "I" },
  QSL_Sent: { INVALID: "I", IGNORE: "I" },
  QSL_Via: { BURO: "B" },
  QSO_Complete: { UNCERTAIN: "?" },
  QSO_Download_Status: { YES: "Y", NO: "N" },
  QSO_Upload_Status: { YES: "Y", NO: "N", MODIFIED: "M" },
};

/** The code of a value that is spelled out: by a word for it, or by its name in ADIF, such as `Aircraft Scatter`. */
export function codeOfWord(enumeration: AdifEnumerationName, text: string): string | undefined {
  const word = text.toUpperCase();
  const known = WORDS[enumeration]?.[word];
  if (known !== undefined) return known;
  const named = ENUMERATIONS[enumeration].filter(
    ({ name, importOnly }) => name?.toUpperCase() === word && importOnly !== true,
  );
  return named.length === 1 ? named[0]?.code : undefined;
}
