/** Enforcement models as pure functions of limits. 0 allows nothing, -1 is unlimited. */

export const UNLIMITED = -1;

export const ENFORCEMENT_MODELS = ["flat", "strict_two_level"] as const;

export type EnforcementModel = (typeof ENFORCEMENT_MODELS)[number];

/** The limits of one resource that apply to a project. */
export interface LimitLevels {
  /** The project's own; `undefined` for none. For a domain, that of the domain. */
  readonly own: number | undefined;
  /** That of its domain; `undefined` for none. */
  readonly domain: number | undefined;
  readonly registered: number;
}

/** The limit in effect and its source. */
export interface EffectiveLimit {
  readonly limit: number;
  readonly source: "own" | "domain" | "registered_default";
}

/** An enforcement model. */
export interface Enforcement {
  readonly name: EnforcementModel;
  readonly description: string;
  /** Whether the limit of a project violates that of its domain; `undefined` if domains don't matter. */
  readonly isBreach: ((project: number, domain: number) => boolean) | undefined;
  readonly effective: (levels: LimitLevels) => EffectiveLimit;
}

/** The limit of a domain: its own, or the registered default. */
export function domainLimit({ domain, registered }: Omit<LimitLevels, "own">): number {
  return domain ?? registered;
}

export const ENFORCEMENT: Readonly<Record<EnforcementModel, Enforcement>> = {
  flat: {
    name: "flat",
    description: "Limit enforcement and validation does not take project hierarchy into consideration.",
    isBreach: undefined,
    effective: ownOrDefault,
  },
  strict_two_level: {
    name: "strict_two_level",
    description: "This model requires project hierarchy never exceeds a depth of two",
    isBreach: isAbove,
    // A project without a limit has the default, but never more than its domain.
    effective: (levels) => {
      const found = ownOrDefault(levels);
      const { domain } = levels;
      return found.source === "own" || domain === undefined || !isAbove(found.limit, domain)
        ? found
        : { limit: domain, source: "domain" };
    },
  },
};

function ownOrDefault({ own, registered }: LimitLevels): EffectiveLimit {
  return own === undefined
    ? { limit: registered, source: "registered_default" }
    : { limit: own, source: "own" };
}

function isAbove(limit: number, bound: number): boolean {
  return bound !== UNLIMITED && (limit === UNLIMITED || limit > bound);
}
