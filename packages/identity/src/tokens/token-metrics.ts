/** Metrics of what tokens depend on: the keys that sign them, and the revocations that this process knows. */
import { Gauge, type Registry } from "prom-client";

import type { Platform } from "../area.js";
import { within } from "../platform/concurrency/within.js";
import { MAX_COLLECTING_MS } from "../platform/health/metrics.js";
import type { Revocations } from "./revocations.js";
import type { SigningKeys } from "./signing-keys.js";

export interface TokenMetricsDeps extends Pick<Platform, "clock"> {
  readonly signingKeys: Pick<SigningKeys, "load">;
  readonly revocations: Pick<Revocations, "known">;
}

export function watchTokenKeys(
  registry: Registry,
  { signingKeys, revocations, clock }: TokenMetricsDeps,
): void {
  void new Gauge({
    name: "identity_token_key_age_seconds",
    help: "Time since the keys that sign tokens were rotated.",
    registers: [registry],
    aggregator: "max",
    async collect() {
      this.reset();
      const ring = await unlessItFails(signingKeys.load());
      if (ring !== undefined) this.set(Math.max(0, clock.now() - ring.rotatedAt) / 1000);
    },
  });
  void new Gauge({
    name: "identity_revocation_position",
    help: "The last revocation that this process knows: replicas that differ for long do not hear of each other's.",
    registers: [registry],
    aggregator: "min",
    async collect() {
      this.reset();
      const known = await unlessItFails(revocations.known());
      if (known !== undefined) this.set(known.position);
    },
  });
}

/** Without the database there is no value; the other metrics are shown. */
const unlessItFails = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
  within(MAX_COLLECTING_MS, reading).catch(() => undefined);
