/** Duplicates of spots: which one is new. */
import type { FeedSpot } from "./feed-spot.js";

/** Remembers spots for a while, and at most a number of them. */
interface RecentSpots {
  /**
   * Whether a spot is the first one of its station by its spotter, within one kilohertz, in the window.
   *
   * @param now Milliseconds since 1970.
   */
  isNew(spot: FeedSpot, now: number): boolean;
  /** The number of remembered spots. */
  readonly size: number;
}

interface RecentSpotsOptions {
  /** 0: nothing is a duplicate. */
  readonly windowMs: number;
  /** Beyond this the oldest are forgotten. */
  readonly maxSpots: number;
}

interface Seen {
  readonly at: number;
  readonly frequencyKHz: number;
}

export function createRecentSpots({ windowMs, maxSpots }: RecentSpotsOptions): RecentSpots {
  // The oldest is the first.
  const seen = new Map<string, Seen>();
  const forget = (now: number) => {
    for (const [key, { at }] of seen) {
      // A clock that was set back makes spots of the future.
      if (seen.size <= maxSpots && now - at < windowMs && at <= now) return;
      seen.delete(key);
    }
  };
  return {
    get size() {
      return seen.size;
    },
    isNew(spot, now) {
      if (windowMs === 0) return true;
      forget(now);
      const { frequencyKHz } = spot;
      const kilohertz = Math.floor(frequencyKHz);
      // The end of an activation repeats no spot before it.
      const stations = `${spot.dx} ${spotterName(spot)}${spot.qrt === true ? " QRT" : ""}`;
      for (const near of [kilohertz, kilohertz - 1, kilohertz + 1]) {
        const before = seen.get(`${stations} ${near}`);
        if (before !== undefined && Math.abs(before.frequencyKHz - frequencyKHz) < 1) return false;
      }
      const key = `${stations} ${kilohertz}`;
      seen.delete(key);
      seen.set(key, { at: now, frequencyKHz });
      return true;
    },
  };
}

/** Nodes keep or drop the SSID of a user. That of a skimmer tells several receivers apart. */
function spotterName({ spotter = "", skimmer }: FeedSpot): string {
  return skimmer ? spotter : spotter.replace(/-[0-9]{1,2}$/, "");
}
