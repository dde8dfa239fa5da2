/** Values of enumerations that readers accept and writers avoid: import-only ones, and deleted ones. */
import type { AdifEnumerationEntry, AdifEnumerationName } from "../tables/table-types.js";
import { fault, type FieldValue, type Fault } from "./fault.js";

/**
 * The fault of a value by the entries that have its code: several where the field that scopes them is missing, of which one that is
 * current suffices.
 */
export function outdatedFault(
  at: FieldValue,
  entries: readonly AdifEnumerationEntry[],
  { enumeration, to }: { enumeration: AdifEnumerationName; to?: string | undefined },
): Fault | undefined {
  const [entry] = entries;
  if (entry === undefined || entries.some(isCurrent)) return undefined;
  if (entry.importOnly !== true) {
    const expected = `a current value of ${enumeration}; it counts for its time`;
    return fault(at, { level: "info", rule: "deleted-value", expected, to });
  }
  const rule = enumeration === "QSL_Via" ? "qsl-via-manager" : "import-only-value";
  return fault(at, { level: "info", rule, expected: `a value of ${enumeration} that is written today`, to });
}

function isCurrent({ importOnly, deleted }: AdifEnumerationEntry): boolean {
  return importOnly !== true && deleted !== true;
}
