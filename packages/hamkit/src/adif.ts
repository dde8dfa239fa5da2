/**
 * `hamkit/adif`: ADIF 3.1.7 as data: fields, types and enumerations; reading, validating and repairing files.
 *
 * Importing only `parseAdif` or `readAdif` loads none of the tables.
 *
 * @module hamkit/adif
 */
export { parseAdif, readAdif } from "./adif/parse-adif.js";
export type {
  AdifFileFinding,
  AdifHeader,
  AdifRecord,
  ParsedAdif,
  StreamedRecord,
} from "./adif/parse-adif.js";
export { repairAdif, undoRepairs } from "./adif/repair-adif.js";
export type { AdifRepair, RepairedAdif } from "./adif/repair-adif.js";
export type { AdifFinding, AdifLevel } from "./adif/rules/fault.js";
export { ENTITIES } from "./adif/tables/generated/entity-table.js";
export { ENUMERATIONS } from "./adif/tables/generated/enumeration-table.js";
export { DATA_TYPES, FIELDS } from "./adif/tables/generated/field-table.js";
export { MODES } from "./adif/tables/generated/mode-table.js";
export type {
  AdifDataType,
  AdifEntity,
  AdifEnumerationEntry,
  AdifEnumerationName,
  AdifEnumerations,
  AdifField,
  AdifMode,
} from "./adif/tables/table-types.js";
export { validateRecord } from "./adif/validate-record.js";
export type { ValidateRecordOptions } from "./adif/validate-record.js";
