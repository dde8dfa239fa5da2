/** Conflicts in words. */
import { entryText, fieldNames, countryOfEntry } from "./entry-text.js";
import type { Conflict, DxccEntityName } from "./explanation.js";

/** Of one conflict. */
const MAX_LISTED = 5;

/** A conflict as a sentence without its period. */
export function conflictText(conflict: Conflict): string {
  return SENTENCES[conflict.kind](conflict as never);
}

type ConflictOf<Kind> = Extract<Conflict, { readonly kind: Kind }>;

const SENTENCES: { readonly [Kind in Conflict["kind"]]: (conflict: ConflictOf<Kind>) => string } = {
  "shared-prefix": ({ shared: { prefix, entities } }) =>
    entities.length === 0
      ? `${prefix} is shared by stations in any country`
      : `${prefix} is shared by ${listText(entities.map(entityText))}`,
  "change-with-time": ({ entries }) =>
    `at other times ${listText(entries.map((entry) => `${entryText(entry)} is ${countryOfEntry(entry.record)}`))}`,
  "postal-country": ({ source, postal }) =>
    `the address in ${source} is in ${postal}, which is not the entity`,
  "unknown-to-some": ({ sources }) => `unknown to ${listText(sources)}`,
  "sources-differ": ({ source, differs }) => `${source} differs in ${fieldNames(differs)}`,
  "suffix-or-prefix": ({ readings }) =>
    listText(readings.map(({ text, record }) => `${text} could be read as ${countryOfEntry(record)}`)),
  "not-for-dxcc": ({ country, dxcc }) =>
    `${country} is an entity of the CQ and WAE lists; for DXCC it belongs to ${entityText(dxcc)}`,
  "default-zone": ({ cqz, zones }) =>
    `CQ zone ${cqz} is that of the prefix; the entity has ${zones.join(", ")}`,
  "looks-like": ({ looksLike }) => LOOKS_LIKE[looksLike],
};

const LOOKS_LIKE = {
  prefix: "the call is as short as a prefix",
  mode: "the call begins like the name of a mode",
  locator: "the call has the form of a grid locator",
  message: "the call begins like RR73, the end of a contact",
} as const;

function entityText({ adif, country }: DxccEntityName): string {
  return country === undefined ? `DXCC ${adif}` : `${country} (${adif})`;
}

/** The first few, and the number of the others. */
function listText(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return rest > 0 ? `${texts.slice(0, MAX_LISTED).join(", ")} and ${rest} more` : texts.join(", ");
}
