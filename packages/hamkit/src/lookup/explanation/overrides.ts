/** The values of an answer that differ from those of the entity's main prefix. */
import type { Moment } from "../period.js";
import type { IdentifiedCallsign, TableSource } from "../source.js";
import type { CallsignRecord } from "../record.js";
import type { ExplainedEntry, Override } from "./explanation.js";

/** The values of an entity; the main prefix has the ITU zone, which the list of entities lacks. */
type Usual = Pick<CallsignRecord, "country" | "continent" | "cqz" | "ituz" | "latitude" | "longitude">;

/**
 * What the entry has in another way than the entity, and the list of zones than the entry.
 *
 * @param answer The identification, with the zone of the list.
 */
export function overridesIn(
  answer: IdentifiedCallsign,
  { record }: ExplainedEntry,
  table: TableSource,
  at: Moment,
): readonly Override[] {
  const overrides: Override[] = [];
  const usual = usualOf(record.adif, table, at);
  if (usual !== undefined && usual !== record) {
    const { country, continent, cqz, ituz, latitude, longitude } = record;
    if (country !== usual.country)
      overrides.push({ by: "entry", field: "country", value: country, usual: usual.country });
    if (continent !== usual.continent)
      overrides.push({ by: "entry", field: "continent", value: continent, usual: usual.continent });
    if (cqz !== usual.cqz) overrides.push({ by: "entry", field: "cqz", value: cqz, usual: usual.cqz });
    if (ituz !== undefined && usual.ituz !== undefined && ituz !== usual.ituz)
      overrides.push({ by: "entry", field: "ituz", value: ituz, usual: usual.ituz });
    if (latitude !== usual.latitude || longitude !== usual.longitude)
      overrides.push({
        by: "entry",
        field: "position",
        value: { latitude, longitude },
        usual: { latitude: usual.latitude, longitude: usual.longitude },
      });
  }
  if (answer.record.cqz !== record.cqz)
    overrides.push({ by: "zone-exception", field: "cqz", value: answer.record.cqz, usual: record.cqz });
  return overrides;
}

function usualOf(adif: number, table: TableSource, at: Moment): Usual | undefined {
  const entity = table.entity(adif);
  if (entity === undefined) return undefined;
  const main = table.prefix(entity.prefix, at);
  return main?.adif === adif && main.country === entity.country ? main : entity;
}
