/** Mappings in the database. */
import { json, tableOf } from "../platform/database/table.js";
import { MappingNotFoundError } from "./mapping-errors.js";
import type { SchemaVersion } from "./rules/rule-schema.js";

/** A stored mapping, whose rules are known to compile. */
export interface StoredMapping {
  readonly id: string;
  readonly rules: readonly object[];
  readonly schemaVersion: SchemaVersion;
}

export const mappingTable = tableOf<StoredMapping>()(
  "mapping",
  { id: "id", rules: json("rules"), schemaVersion: "schema_version" },
  MappingNotFoundError,
);
