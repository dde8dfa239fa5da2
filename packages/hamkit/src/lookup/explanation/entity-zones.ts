/** The CQ zones that the prefixes of an entity have. */
import { INVALID_RECORD } from "../record.js";
import type { TableSource } from "../source.js";

type ZonesByEntity = ReadonlyMap<number, readonly number[]>;

/** Kept with each table, whose prefixes do not change. */
const ZONES = new WeakMap<TableSource, ZonesByEntity>();

/** In ascending order. */
export function cqZonesOf(adif: number, table: TableSource): readonly number[] {
  let zones = ZONES.get(table);
  if (zones === undefined) {
    zones = zonesIn(table);
    ZONES.set(table, zones);
  }
  return zones.get(adif) ?? [];
}

function zonesIn(table: TableSource): ZonesByEntity {
  const found = new Map<number, Set<number>>();
  for (const { value } of table.content().prefixes) {
    const { adif, cqz } = value;
    // 0 stands for several zones.
    if (value === INVALID_RECORD || cqz === 0) continue;
    const zones = found.get(adif) ?? new Set();
    found.set(adif, zones.add(cqz));
  }
  return new Map(Array.from(found, ([adif, zones]) => [adif, [...zones].sort((a, b) => a - b)]));
}
