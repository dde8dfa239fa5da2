import type { TableSource } from "../src/lookup/source.js";
import type { CallsignRecord } from "../src/lookup/record.js";
import { createListTable } from "../src/lookup/table.js";

/** A table of which every answer tells that it is this one, or is a mixture. */
export function markedTable(mark: number, size = 5000): TableSource {
  const record = (cqz: number): CallsignRecord => ({
    country: `Country ${mark}`,
    adif: mark,
    continent: "EU",
    latitude: mark,
    longitude: mark,
    cqz,
  });
  const builder = createListTable({ entities: new Map() });
  const mine = Object.freeze(record(mark));
  for (let index = 0; index < size; index++)
    builder.addPrefix(`A${(index + mark * 1000).toString(36).toUpperCase()}`, { value: mine });
  // One has an entry for the call, the other a zone, under the same number.
  if (mark === 1) builder.addExact("DL1ABC", { value: mine, id: 1 });
  else builder.addZoneException("DL1ABC", { value: mark, id: 1 });
  builder.addPrefix("DL", { value: mine });
  if (mark === 1) builder.addPrefix("DL1", { value: mine });
  return { ...builder.table, name: `table ${mark}`, date: undefined };
}
