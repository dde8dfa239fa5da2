/** Compares the answers of two sources. */
import type { Identification } from "../source.js";
import type { ComparedField } from "./explanation.js";

/** The key of each field in the records of all sources. */
const KEYS = [
  ["entity", "adif"],
  ["continent", "continent"],
  ["cqz", "cqz"],
  ["ituz", "ituz"],
] as const;

/**
 * The fields that differ. Of records only fields that both have are compared: country files have ITU zones and log XML has none,
 * callbooks have what owners typed, and a zone of 0 means several.
 */
export function differingFields(
  one: Identification<object>,
  other: Identification<object>,
): readonly ComparedField[] {
  if (one.kind !== "identified" || other.kind !== "identified")
    return one.kind === other.kind ? [] : ["answer"];
  return KEYS.filter(([, key]) => {
    const [here, there] = [valueOf(one.record, key), valueOf(other.record, key)];
    return here !== undefined && there !== undefined && here !== there;
  }).map(([field]) => field);
}

/** A number other than 0, or the text of a continent; `undefined` for others. */
function valueOf(record: object, key: string): unknown {
  const value: unknown = Reflect.get(record, key);
  if (key === "continent") return typeof value === "string" && value !== "" ? value : undefined;
  return typeof value === "number" && value !== 0 ? value : undefined;
}
