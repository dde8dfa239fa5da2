/** How long a provider's metadata may be used, and how soon it is read again. */
import type { Moment } from "../../../../platform/clock.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import { describeTime, LEEWAY_MS } from "../../../leeway.js";

export interface MetadataValidity {
  /** `undefined` if the metadata names no end. */
  readonly validUntil: Moment | undefined;
  /** The metadata's `cacheDuration`, in milliseconds; `undefined` without one. */
  readonly cacheMs: number | undefined;
}

/** How long metadata without `cacheDuration` is used before it is read again. */
const USUAL_LIFE_MS = 300_000;
const MIN_LIFE_MS = 300_000;
const MAX_LIFE_MS = 86_400_000;
/** Metadata without `validUntil` may be unavailable overnight without stopping logins. */
const STALE_MS = 86_400_000;

/** The earliest end, and the shortest duration, of several. */
export function shortestValidity(all: readonly MetadataValidity[]): MetadataValidity {
  const ends = all.flatMap(({ validUntil }) => validUntil ?? []);
  const durations = all.flatMap(({ cacheMs }) => cacheMs ?? []);
  return {
    validUntil: ends.length === 0 ? undefined : Math.min(...ends),
    cacheMs: durations.length === 0 ? undefined : Math.min(...durations),
  };
}

/** @throws {AssertionRefusedError} It has expired. */
export function requireUnexpired({ validUntil }: MetadataValidity, now: Moment): void {
  if (validUntil === undefined || now < validUntil + LEEWAY_MS) return;
  throw new AssertionRefusedError({
    step: "metadata",
    reason: `the metadata expired: validUntil is ${describeTime(validUntil, now)}, or provide newer metadata (idp_metadata_url, idp_metadata_xml)`,
  });
}

/** How long unexpired metadata is used before it is read again. */
export function lifeMs(
  { validUntil = Infinity, cacheMs = USUAL_LIFE_MS }: MetadataValidity,
  now: Moment,
): number {
  const life = Math.min(Math.max(cacheMs, MIN_LIFE_MS), MAX_LIFE_MS);
  return Math.min(life, validUntil + LEEWAY_MS - now);
}

/** Until when metadata is used while newer metadata can't be read. */
export function keptUntil({ validUntil }: MetadataValidity, readAt: Moment): Moment {
  return validUntil === undefined ? readAt + STALE_MS : validUntil + LEEWAY_MS;
}
