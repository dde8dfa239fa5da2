/** How old a cached copy of public data may be before its source is asked again. */

const DAY_MS = 24 * 60 * 60 * 1000;

export const MAX_AGE_MS = {
  countryFile: 7 * DAY_MS,
  logXml: DAY_MS,
  orbitalElements: DAY_MS,
  references: 7 * DAY_MS,
  /** Lists of users of LoTW, eQSL and Club Log. */
  userLists: DAY_MS,
  /** Calls for super check partial. */
  partialCalls: 7 * DAY_MS,
} as const;
