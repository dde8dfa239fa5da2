/** Findings about an ADIF file or a record. */

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

/** A finding about the text of a file. */
export interface AdifFileFinding {
  readonly level: AdifLevel;
  readonly rule: string;
  readonly message: string;
  /** Index of the record, from 0, if the finding is about one. */
  readonly record?: number | undefined;
  /** The field, in upper case, if the finding is about one. */
  readonly field?: string | undefined;
}
