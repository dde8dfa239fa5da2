/** What happens to the primary of a cluster, and when the next one is there. */
import { setTimeout as delay } from "node:timers/promises";

import type { ClusterNode, PatroniCluster } from "./patroni-cluster.js";

export type Fault = "switched over" | "killed" | "cut off";

/** How long a failover may take: the leader's lease, the election and the promotion, on a busy computer. */
const FAILOVER_MS = 60_000;

export interface Failover {
  /** When another node was the primary. */
  readonly promotedAt: number;
  /** How long there was none. */
  readonly tookMs: number;
  /** Brings the former primary back, and waits until the cluster is whole. */
  repair(): Promise<void>;
}

/** Does it, and waits for the new primary. */
export async function failOver(cluster: PatroniCluster, fault: Fault): Promise<Failover> {
  const former = await cluster.primary();
  const startedAt = performance.now();
  await STEPS[fault].harm(cluster, former);
  await nextPrimary(cluster, former);
  const promotedAt = performance.now();
  return {
    promotedAt,
    tookMs: promotedAt - startedAt,
    async repair() {
      STEPS[fault].repair(former);
      await cluster.whole();
    },
  };
}

interface Steps {
  readonly harm: (cluster: PatroniCluster, primary: ClusterNode) => void | Promise<void>;
  readonly repair: (former: ClusterNode) => void;
}

const STEPS: Readonly<Record<Fault, Steps>> = {
  "switched over": { harm: (cluster) => cluster.switchOver(), repair: () => {} },
  killed: { harm: (_cluster, primary) => primary.kill(), repair: (former) => former.start() },
  "cut off": { harm: (_cluster, primary) => primary.pullCable(), repair: (former) => former.plugCable() },
};

async function nextPrimary(cluster: PatroniCluster, former: ClusterNode): Promise<void> {
  const others = cluster.nodes.filter((node) => node !== former);
  const deadline = performance.now() + FAILOVER_MS;
  while (!(await Promise.all(others.map((node) => node.isPrimary()))).includes(true)) {
    if (performance.now() > deadline) throw new Error("no other node became the primary");
    await delay(20);
  }
}
