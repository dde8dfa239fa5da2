/** The signing keys as this process knows them: read now and then, so that a rotation elsewhere is noticed. */
import type { Clock, Moment } from "../platform/clock.js";
import type { SigningKeyRing, SigningKeys } from "./signing-keys.js";

/** How old the keys may be. A new key is staged first, so that nobody is in a hurry to learn of it. */
const MAX_AGE_MS = 30_000;
/** How old they may be where one is missing. Whoever sends nonsense should not have them read each time. */
const MISSING_AGE_MS = 1000;

export interface KeyRing {
  /** @param options.isOneMissing There is a text that none of them has made, it seems. */
  current(options?: { readonly isOneMissing?: boolean }): Promise<SigningKeyRing>;
}

export function createKeyRing({
  keys,
  clock,
}: {
  readonly keys: Pick<SigningKeys, "load">;
  readonly clock: Clock;
}): KeyRing {
  let ring: Promise<SigningKeyRing> | undefined;
  let readAt: Moment = 0;

  async function load(before: Promise<SigningKeyRing> | undefined): Promise<SigningKeyRing> {
    try {
      return await keys.load();
    } catch (error) {
      // Keys that were good a while ago are better than none.
      if (before !== undefined) return before;
      ring = undefined;
      throw error;
    }
  }

  return {
    current({ isOneMissing = false } = {}) {
      const now = clock.now();
      const maxAge = isOneMissing ? MISSING_AGE_MS : MAX_AGE_MS;
      if (ring === undefined || now - readAt >= maxAge) {
        readAt = now;
        ring = load(ring);
      }
      return ring;
    },
  };
}
