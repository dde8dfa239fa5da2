/** What goes wrong in a cluster that was made by the guide. */
import { setTimeout as delay } from "node:timers/promises";

import type { CleanMachine } from "./clean-machines.js";
import type { Cluster } from "./guide-machines.js";

const PATRONICTL = "patronictl -c /etc/patroni/config.yml";
/** How long a machine is gone. */
const AWAY_MS = 15_000;
/** How long a cluster may take to be whole again, on a busy computer. */
const WHOLE_MS = 120_000;
/** How long PostgreSQL may fail to start before an operator has it copied anew. */
const FAILED_MS = 30_000;

export interface ClusterFault {
  readonly name: string;
  /** Whether it is planned: then no request may fail. */
  readonly isPlanned?: boolean;
  /** Does it, and what an operator does after it. @param at Counts the faults. */
  readonly run: (cluster: Cluster, at: number) => Promise<void>;
}

const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: "a replica is killed",
    run: async ({ machines }, at) => machines[at % machines.length]?.kill("node"),
  },
  {
    name: "a replica is restarted",
    isPlanned: true,
    async run({ machines }, at) {
      const machine = machines[at % machines.length];
      await machine?.type(`systemctl restart hamkit-identity
        until curl -fsS "http://${machine.address}:5000/readyz"; do sleep 0.2; done; sleep 2`);
    },
  },
  {
    name: "Patroni and PostgreSQL of the primary are killed",
    run: async (cluster) => (await primaryOf(cluster)).kill("patroni", "postgres"),
  },
  {
    name: "the primary is switched over",
    run: async (cluster) => void (await (await primaryOf(cluster)).type(`${PATRONICTL} switchover --force`)),
  },
  { name: "the primary's machine loses power", run: async (cluster) => losePower(await primaryOf(cluster)) },
  {
    name: "another machine loses power",
    run: async (cluster, at) => losePower(await standbyOf(cluster, at)),
  },
  { name: "the primary's cable is pulled", run: async (cluster) => loseCable(await primaryOf(cluster)) },
  { name: "an etcd is killed", run: async ({ machines }, at) => machines[at % 3]?.kill("etcd") },
  {
    name: "HAProxy is reloaded",
    isPlanned: true,
    run: async ({ balancer }) => void (await balancer.type("systemctl reload haproxy")),
  },
];

/** All of them, one after the other, again and again. */
export function faultAt(at: number): ClusterFault {
  return CLUSTER_FAULTS[at % CLUSTER_FAULTS.length] as ClusterFault;
}

async function losePower(machine: CleanMachine): Promise<void> {
  machine.cutPower();
  await delay(AWAY_MS);
  await machine.boot();
}

async function loseCable(machine: CleanMachine): Promise<void> {
  machine.pullCable();
  await delay(2 * AWAY_MS);
  machine.plugCable();
}

export async function primaryOf({ machines }: Cluster): Promise<CleanMachine> {
  const states = await Promise.all(machines.map((machine) => isOk(`http://${machine.address}:8008/primary`)));
  const found = machines[states.indexOf(true)];
  if (found === undefined) throw new Error("the cluster has no primary");
  return found;
}

async function standbyOf(cluster: Cluster, at: number): Promise<CleanMachine> {
  const primary = await primaryOf(cluster);
  const others = cluster.machines.filter((machine) => machine !== primary);
  return others[at % others.length] ?? primary;
}

/** Waits until all replicas are ready, and all of PostgreSQL, etcd and Patroni run. @throws It takes too long. */
export async function whole({ machines }: Cluster): Promise<void> {
  const begun = performance.now();
  let copyAt = begun + FAILED_MS;
  for (;;) {
    const states = await Promise.all(machines.map(stateOf));
    if (states.every((state) => state === "")) return;
    if (performance.now() > begun + WHOLE_MS)
      throw new Error(`the cluster is not whole: ${states.join(", ")}`);
    if (performance.now() > copyAt) {
      copyAt += FAILED_MS;
      await copyFailed(machines);
    }
    await delay(250);
  }
}

/** What the guide to PostgreSQL says about a member that does not start. */
async function copyFailed([machine]: readonly CleanMachine[]): Promise<void> {
  const members = await membersBy(machine?.address ?? "").catch(() => []);
  for (const { name, state } of members.filter((member) => member.state === "start failed")) {
    process.stdout.write(`${name}: ${state}, copied anew\n`);
    await machine?.type(`${PATRONICTL} reinit identity ${name} --force`);
  }
}

/** Empty if all is well. */
async function stateOf({ address, name }: CleanMachine): Promise<string> {
  const checks = {
    service: await isOk(`http://${address}:5000/readyz`),
    etcd: await isOk(`http://${address}:2379/health`),
    members: await hasAllMembers(address),
  };
  const bad = Object.entries(checks).filter(([, isGood]) => !isGood);
  return bad.map(([check]) => `${name} ${check}`).join(", ");
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** One leader and two standbys, one of which is synchronous. */
async function hasAllMembers(address: string): Promise<boolean> {
  try {
    const members = await membersBy(address);
    const roles = members.map(({ role }) => role).toSorted();
    const isRunning = members.every(({ state }) => state === "running");
    return isRunning && roles.join(" ") === "leader replica sync_standby";
  } catch {
    return false;
  }
}

async function membersBy(address: string): Promise<readonly Member[]> {
  const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2000) });
  return ((await answer.json()) as { readonly members: readonly Member[] }).members;
}
