/** Metrics of identity providers: their logins, and until when what they publish is valid. */
import { Counter, Gauge, type Registry } from "prom-client";
import type { FastifyBaseLogger } from "fastify";

import type { Clock, Moment } from "../../platform/clock.js";
import { within } from "../../platform/concurrency/within.js";
import { MAX_COLLECTING_MS } from "../../platform/health/metrics.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import type { PublishedHealth } from "./provider-health.js";

/** Providers that are told apart; the others are summed up as `other`. */
const MAX_PROVIDERS = 500;
/** How long what providers publish is taken for unchanged. */
const MAX_AGE_MS = 300_000;

export interface LoginCounts {
  /** @param idpId Of a provider that exists. */
  count(idpId: string, outcome: "success" | "failure"): void;
  register(registry: Registry): void;
}

export function createLoginCounts(): LoginCounts {
  const counts = new Map<string, Record<"success" | "failure", number>>();
  return {
    count(idpId, outcome) {
      const provider = counts.has(idpId) || counts.size < MAX_PROVIDERS ? idpId : "other";
      let each = counts.get(provider);
      if (each === undefined) counts.set(provider, (each = { success: 0, failure: 0 }));
      each[outcome]++;
    },
    register(registry) {
      void new Counter({
        name: "identity_provider_logins_total",
        help: "Logins through an identity provider by outcome, without test logins.",
        labelNames: ["provider", "outcome"] as const,
        registers: [registry],
        collect() {
          this.reset();
          for (const [provider, each] of counts)
            for (const outcome of ["success", "failure"] as const)
              this.inc({ provider, outcome }, each[outcome]);
        },
      });
    },
  };
}

export interface PublishedMetricsDeps {
  /** Enabled ones. */
  readonly listProviders: () => Promise<readonly Pick<IdentityProvider, "id">[]>;
  readonly readPublished: (idpId: string) => Promise<readonly PublishedHealth[]>;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "warn">;
}

interface Ends {
  readonly provider: string;
  /** The earliest ends; `undefined` where nothing ends. */
  readonly certificate: Moment | undefined;
  readonly metadata: Moment | undefined;
  /** Downloads that fail now. */
  readonly failing: number;
}

/** Of enabled providers. Read in the background: a scrape gets what the last reading found, and begins the next one when that is old. */
export function registerPublishedMetrics(registry: Registry, deps: PublishedMetricsDeps): void {
  let ends: readonly Ends[] | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const found: Ends[] = [];
    for (const { id } of (await deps.listProviders()).slice(0, MAX_PROVIDERS))
      found.push(endsOf(id, await deps.readPublished(id)));
    ends = found;
  }

  async function current(): Promise<readonly Ends[]> {
    if (reading === undefined && Math.abs(deps.clock.now() - readAt) >= MAX_AGE_MS) {
      readAt = deps.clock.now();
      reading = read()
        .catch((error: unknown) => deps.log.warn({ err: error }, "metrics of identity providers not read"))
        .finally(() => (reading = undefined));
    }
    if (ends === undefined && reading !== undefined) await within(MAX_COLLECTING_MS, reading).catch(() => {});
    return ends ?? [];
  }

  // Each worker reads the same.
  const shared = { registers: [registry], aggregator: "max" as const };
  void new Gauge({
    ...shared,
    name: "identity_provider_expiry_timestamp_seconds",
    help: "When the earliest certificate or the metadata of an enabled identity provider expires, in Unix time.",
    labelNames: ["provider", "what"] as const,
    async collect() {
      const found = await current();
      this.reset();
      for (const each of found)
        for (const what of ["certificate", "metadata"] as const)
          if (each[what] !== undefined) this.set({ provider: each.provider, what }, each[what] / 1000);
    },
  });
  void new Gauge({
    ...shared,
    name: "identity_provider_failing_downloads",
    help: "Documents of an enabled identity provider (keys, metadata) that can't be downloaded; none where all can.",
    labelNames: ["provider"] as const,
    async collect() {
      const found = await current();
      this.reset();
      for (const { provider, failing } of found) if (failing > 0) this.set({ provider }, failing);
    },
  });
}

function endsOf(provider: string, published: readonly PublishedHealth[]): Ends {
  return {
    provider,
    certificate: earliest(published.flatMap(({ keys }) => keys.map(({ expiresAt }) => expiresAt))),
    metadata: earliest(published.map(({ validUntil }) => validUntil)),
    failing: published.reduce((total, { failed }) => total + failed.length, 0),
  };
}

function earliest(moments: readonly (Moment | undefined)[]): Moment | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
