/** A cluster of three machines with PostgreSQL, Patroni and etcd, behind HAProxy. */
import { spawn } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "../../free-port.js";
import { startMachines, type Machine } from "./machines.js";
import { haproxySettings, PASSWORD, patroniSettings } from "../../../test/patroni-settings.js";

const RELEASES = "/usr/lib/postgresql";
const NODES = 3;
/** On a busy computer. */
const START_MS = 60_000;
/** How long a node may fail to start before it is copied from the primary again, as an administrator would have it done. */
const FAILED_MS = 15_000;

export interface ClusterNode {
  readonly name: string;
  readonly address: string;
  /** Kills PostgreSQL and Patroni. */
  kill(): void;
  /** Starts Patroni again, which starts PostgreSQL. */
  start(): void;
  /** From now on standbys get nothing from it. */
  stallReplication(): void;
  pullCable(): void;
  plugCable(): void;
  /** Whether Patroni says that it is the primary. */
  isPrimary(): Promise<boolean>;
}

export interface PatroniCluster {
  readonly nodes: readonly ClusterNode[];
  /** All hosts: the service finds the primary. */
  readonly url: string;
  /** HAProxy, which finds the primary. */
  readonly proxyUrl: string;
  primary(): Promise<ClusterNode>;
  /** Has Patroni make another node the primary. Returns when it has accepted. */
  switchOver(): Promise<void>;
  /** Waits until all nodes stream from one primary; if synchronous, one of them synchronously. */
  whole(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a cluster, and waits until it is whole. */
export async function startPatroniCluster({
  isSynchronous,
}: {
  readonly isSynchronous: boolean;
}): Promise<PatroniCluster> {
  const machines = startMachines(NODES);
  const { folder } = machines;
  const stops: (() => void)[] = [];
  const remove = () => {
    for (const stop of stops) stop();
    machines.remove();
  };
  try {
    const addresses = machines.all.map(({ address }) => address);
    const port = await freePort();
    const nodes = machines.all.map((machine, at) =>
      createNode(machine, { at, addresses, folder, isSynchronous }),
    );
    stops.push(startHaproxy(folder, addresses, port));
    const cluster = createCluster(nodes, { addresses, port, isSynchronous, remove });
    await cluster.whole();
    return cluster;
  } catch (error) {
    remove();
    throw error;
  }
}

interface NodeOptions {
  readonly at: number;
  readonly addresses: readonly string[];
  readonly folder: string;
  readonly isSynchronous: boolean;
}

function createNode(machine: Machine, { at, addresses, folder, isSynchronous }: NodeOptions): ClusterNode {
  const name = `pg${at + 1}`;
  const { address } = machine;
  const own = join(folder, name);
  mkdirSync(own);
  chownSync(own, statSync(folder).uid, -1);
  const settings = join(own, "patroni.yml");
  const programs = join(RELEASES, readdirSync(RELEASES).toSorted().at(-1) ?? "", "bin");
  writeFileSync(
    settings,
    patroniSettings({ name, address, addresses, folder: own, programs, isSynchronous }),
  );
  const members = addresses.map((each, index) => `pg${index + 1}=http://${each}:2380`);
  const etcd = machine.start("/usr/bin/etcd", [
    `--name=${name}`,
    `--data-dir=${join(own, "etcd")}`,
    `--listen-client-urls=http://${address}:2379`,
    `--advertise-client-urls=http://${address}:2379`,
    `--listen-peer-urls=http://${address}:2380`,
    `--initial-advertise-peer-urls=http://${address}:2380`,
    `--initial-cluster=${members.join(",")}`,
    "--initial-cluster-state=new",
    "--enable-v2",
    "--log-level=error",
  ]);
  etcd.stdout?.resume();
  etcd.stderr?.resume();
  const start = () => {
    const patroni = machine.start("/usr/bin/patroni", [settings]);
    const log: string[] = [];
    for (const stream of [patroni.stdout, patroni.stderr])
      stream?.on("data", (data: Buffer) => {
        log.push(data.toString());
        if (log.length > 1000) log.shift();
        if (process.env["CLUSTER_LOG"]) process.stderr.write(`${name}: ${data.toString()}`);
      });
  };
  start();
  return {
    name,
    address,
    kill: () => machine.kill("patroni", "postgres"),
    start,
    stallReplication: () => machine.freeze("walsender"),
    pullCable: () => machine.pullCable(),
    plugCable: () => machine.plugCable(),
    async isPrimary() {
      try {
        const answer = await fetch(`http://${address}:8008/primary`, { signal: AbortSignal.timeout(1000) });
        await answer.body?.cancel();
        return answer.ok;
      } catch {
        return false;
      }
    },
  };
}

interface ClusterOptions {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly isSynchronous: boolean;
  readonly remove: () => void;
}

/** A standby, as its primary sees it. */
interface Standby {
  readonly state: string;
  readonly sync_state: string;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

function createCluster(
  nodes: readonly ClusterNode[],
  { addresses, port, isSynchronous, remove }: ClusterOptions,
): PatroniCluster {
  const user = `postgres://postgres:${PASSWORD}@`;

  async function primary(): Promise<ClusterNode> {
    const states = await Promise.all(nodes.map((node) => node.isPrimary()));
    const found = nodes[states.indexOf(true)];
    if (found === undefined) throw new Error("the cluster has no primary");
    return found;
  }

  async function send(node: ClusterNode, method: string, path: string, body: unknown): Promise<void> {
    const answer = await fetch(`http://${node.address}:8008${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }

  async function membersBy(node: ClusterNode): Promise<readonly Member[]> {
    const answer = await fetch(`http://${node.address}:8008/cluster`, { signal: AbortSignal.timeout(2000) });
    return ((await answer.json()) as { readonly members: readonly Member[] }).members;
  }

  /** What Patroni says of a standby may be of the primary before: PostgreSQL's own view counts. */
  async function standbys(): Promise<readonly Standby[]> {
    const { address } = await primary();
    const answer = await fetch(`http://${address}:8008/patroni`, { signal: AbortSignal.timeout(2000) });
    const { replication = [] } = (await answer.json()) as { readonly replication?: readonly Standby[] };
    return replication.filter(({ state }) => state === "streaming");
  }

  async function isWhole(): Promise<boolean> {
    for (const node of nodes) {
      const members = await membersBy(node);
      const roles = members.map(({ role }) => role);
      const isComplete = members.length === nodes.length && members.every(({ state }) => state === "running");
      if (!isComplete || roles.filter((role) => role === "leader").length !== 1) return false;
      if (isSynchronous !== roles.includes("sync_standby")) return false;
    }
    const all = await standbys();
    const isConfirming = all.some(({ sync_state: sync }) => sync === "sync");
    return all.length === nodes.length - 1 && isConfirming === isSynchronous;
  }

  /** Two interrupted rewinds can leave a node that does not start: Patroni then waits for an administrator. */
  async function copyFailed(): Promise<void> {
    const members = await membersBy(await primary());
    for (const node of nodes) {
      if (members.find(({ name }) => name === node.name)?.state !== "start failed") continue;
      await send(node, "POST", "/reinitialize", { force: true });
      process.stdout.write(`${node.name} did not start, and is copied from the primary again\n`);
    }
  }

  return {
    nodes,
    url: `${user}${addresses.map((address) => `${address}:5432`).join(",")}/postgres`,
    proxyUrl: `${user}127.0.0.1:${port}/postgres`,
    primary,
    async switchOver() {
      const leader = await primary();
      await send(leader, "POST", "/switchover", { leader: leader.name });
    },
    async whole() {
      const begun = Date.now();
      let copyAt = begun + FAILED_MS;
      while (!(await isWhole().catch(() => false))) {
        if (Date.now() > begun + START_MS) throw new Error("the cluster is not whole");
        if (Date.now() > copyAt) {
          copyAt += FAILED_MS;
          await copyFailed().catch(() => {});
        }
        await delay(200);
      }
    },
    remove: () => Promise.resolve(remove()),
  };
}

function startHaproxy(folder: string, addresses: readonly string[], port: number): () => void {
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, haproxySettings(addresses, port));
  const haproxy = spawn("setpriv", ["--pdeathsig=KILL", "--", "/usr/sbin/haproxy", "-db", "-f", path], {
    stdio: "ignore",
  });
  return () => haproxy.kill("SIGKILL");
}
