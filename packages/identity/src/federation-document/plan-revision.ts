/** The revision of a plan: an apply that names it makes these changes, or none. */
import { createHash } from "node:crypto";

import type { DocumentChange } from "./differences.js";

/** Of 64 digits of SHA-256, enough to tell plans apart. */
const DIGITS = 16;

/** The same for the same changes from the same values. Secrets count as set or not. */
export function revisionOf(changes: readonly DocumentChange[]): string {
  const facts = changes.map(({ change, kind, name, fields }) => [
    change,
    kind,
    name,
    fields.map(({ field, from = null, to = null }) => [field, from, to]),
  ]);
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, DIGITS);
}
