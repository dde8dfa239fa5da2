/** A fault of a value and, where only one reading is plausible, its repair. */
import { showValue } from "../../show-value.js";
import type { AdifLevel } from "../adif-finding.js";
import type { AdifRecord } from "../record-collector.js";
import type { AdifField } from "../tables/table-types.js";

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
