/** The types of ADIF's tables. */

/** A field of ADIF. */
export interface AdifField {
  readonly name: string;
  /** The name of its data type in `DATA_TYPES`. */
  readonly type: string;
  /** Data types that readers accept too. */
  readonly alternativeTypes?: readonly string[];
  /** The name of its enumeration in `ENUMERATIONS`. */
  readonly enumeration?: string;
  /** The field whose value selects the entries of the enumeration: `DXCC` for `STATE`. */
  readonly scope?: string;
  /** Range of a number, inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** Readers accept values outside the range; writers don't write them. */
  readonly rangeImportOnly?: boolean;
  /** Readers accept the field; writers don't write it. */
  readonly importOnly?: boolean;
  /** The field belongs to the header. */
  readonly header?: boolean;
  /** The field of the own station: `MY_STATE` for `STATE`. */
  readonly my?: string;
  /** The field for text beyond ASCII: `NAME_INTL` for `NAME`. */
  readonly intl?: string;
}

/** A data type of ADIF. */
export interface AdifDataType {
  readonly name: string;
  /** The letter in a tag: `<FREQ:6:N>`. */
  readonly indicator?: string;
  readonly importOnly?: boolean;
  /** The type occurs in .adx files only. */
  readonly adxOnly?: boolean;
  readonly min?: number;
}

/** An entry of an enumeration. Members depend on the enumeration. */
export interface AdifEnumerationEntry {
  /** The value of the field. */
  readonly code: string;
  /** The published name or meaning. */
  readonly name?: string;
  /** Readers accept the code; writers don't write it. */
  readonly importOnly?: boolean;
  readonly deleted?: boolean;
  /** First and last day, as YYYY-MM-DD. */
  readonly from?: string;
  readonly until?: string;
  /** The DXCC entity it belongs to; several for some sections. */
  readonly dxcc?: number | readonly number[];
  /** Zones as published. Some are wrong: a default, not a fact. */
  readonly cqz?: readonly number[];
  readonly ituz?: readonly number[];
  /** The mode of a submode. */
  readonly mode?: string;
  /** Edges of a band. */
  readonly lowerMHz?: number;
  readonly upperMHz?: number;
  /** Region or judicial district around it. */
  readonly region?: string;
  readonly within?: string | readonly string[];
  readonly oblast?: string;
  readonly prefix?: string;
  readonly applicability?: string;
  /** Of an award credit. */
  readonly sponsor?: string;
  readonly award?: string;
  readonly facet?: string;
}

/** The names of the enumerations. */
export type AdifEnumerationName =
  | "Ant_Path"
  | "ARRL_Section"
  | "Award"
  | "Award_Sponsor"
  | "Band"
  | "Contest_ID"
  | "Continent"
  | "Credit"
  | "DXCC_Entity_Code"
  | "EQSL_AG"
  | "Mode"
  | "Morse_Key_Type"
  | "Primary_Administrative_Subdivision"
  | "Propagation_Mode"
  | "QSL_Medium"
  | "QSL_Rcvd"
  | "QSL_Sent"
  | "QSL_Via"
  | "QSO_Complete"
  | "QSO_Download_Status"
  | "QSO_Upload_Status"
  | "Region"
  | "Secondary_Administrative_Subdivision"
  | "Secondary_Administrative_Subdivision_Alt"
  | "Submode";

/** All enumerations, by name. */
export type AdifEnumerations = Readonly<Record<AdifEnumerationName, readonly AdifEnumerationEntry[]>>;

/** A mode with its submodes. */
export interface AdifMode {
  readonly mode: string;
  readonly submodes: readonly string[];
  readonly importOnly?: boolean;
  /** The mode and submode to write instead of an import-only mode. */
  readonly replacement?: { readonly mode: string; readonly submode: string };
}

/** A DXCC entity. */
export interface AdifEntity {
  /** As in the field DXCC. */
  readonly code: number;
  readonly name: string;
  /** ISO 3166-1 code of the country, if it has one. */
  readonly iso?: string;
  readonly continents: readonly string[];
  readonly cqz: readonly number[];
  readonly ituz: readonly number[];
  readonly prefixes: readonly string[];
  readonly deleted?: boolean;
  /** First and last day, as YYYY-MM-DD. */
  readonly from?: string;
  readonly until?: string;
}
