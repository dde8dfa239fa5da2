/** The footer that names the data source. */
import type { CallsignDatabase } from "../databases/callsign-database.js";
import { printable } from "../terminal/table.js";

/** "Data: cty.dat VER20240101 of 2024-01-01" */
export function dataText({ name, date }: Pick<CallsignDatabase, "name" | "date">): string {
  return `Data: ${printable(name, 200)}${date === undefined ? "" : ` of ${date}`}`;
}
