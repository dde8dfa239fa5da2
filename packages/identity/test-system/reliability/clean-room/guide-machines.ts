/** Follows docs/identity/cluster.md on clean machines. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { readGuide, type Block } from "../../federation/keystone/guide.js";
import type { Release } from "../upgrade/last-release.js";
import { startCleanMachines, type CleanMachine } from "./clean-machines.js";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const GUIDE = "cluster.md";

export interface Cluster {
  /** With etcd, PostgreSQL and the service. */
  readonly machines: readonly CleanMachine[];
  readonly balancer: CleanMachine;
  /** Of the service, at the balancer. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly adminPassword: string;
}

export interface FollowOptions {
  /** Other text for some of it. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The name of a block that is left out. */
  readonly without?: string;
}

export interface GuideMachines {
  /** Titles of all sections that have commands, in their order. */
  readonly sections: readonly string[];
  /** Runs the commands of a section. @throws A command fails. */
  follow(section: string, options?: FollowOptions): Promise<void>;
  /** What the guide has made. */
  cluster(): Cluster;
  remove(): void;
}

/** @param release What the guide calls 0.2.0; the build under test is its 0.3.0. */
export async function startGuide(release: Release): Promise<GuideMachines> {
  const started = await startCleanMachines({
    names: ["id1", "id2", "id3", "balancer"],
    folders: { "/opt/hamkit-identity-0.2.0": release.folder, "/opt/hamkit-identity-0.3.0": ROOT },
    hosts: { "id.example.org": "4" },
  });
  const { all, network } = started;
  const blocks = readGuide(GUIDE, {
    "10.0.0.": network,
    // The guide's own: those of the last release may differ.
    "/opt/hamkit-identity/deploy": "/opt/hamkit-identity-0.3.0/deploy",
  });
  const machines = all.slice(0, 3);
  const [first] = machines;
  const balancer = all[3];
  if (first === undefined || balancer === undefined) throw new Error("there are too few machines");
  return {
    sections: [...new Set(blocks.map(({ title }) => title))],
    remove: () => started.remove(),
    async follow(section, { instead = {}, without } = {}) {
      const found = blocks.filter(({ title }) => title === section);
      if (found.length === 0) throw new Error(`the guide has no section ${section}`);
      for (const block of found.filter(({ name }) => name !== without))
        await run(replaced(block, instead), { machines, first, balancer });
    },
    cluster() {
      const settings = first.read("root/cluster.env");
      const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(settings)?.[1] ?? "";
      const hosts = machines.map(({ address }) => address).join(",");
      return {
        machines,
        balancer,
        url: `https://${balancer.address}`,
        databaseUrl: `postgres://identity:${value("DATABASE_PASSWORD")}@${hosts}/identity`,
        adminPassword: value("ADMIN_PASSWORD"),
      };
    },
  };
}

interface Places {
  readonly machines: readonly CleanMachine[];
  readonly first: CleanMachine;
  readonly balancer: CleanMachine;
}

/** Where the commands of a block are typed. */
async function run({ name, text }: Block, { machines, first, balancer }: Places): Promise<void> {
  switch (name) {
    case "each":
    case "stop":
    case "start":
      await Promise.all(machines.map((machine) => machine.type(text)));
      break;
    case "each-in-turn":
      for (const machine of machines) await machine.type(text);
      break;
    case "balancer":
      await balancer.type(text);
      break;
    default:
      await first.type(text);
  }
}

function replaced(block: Block, instead: Readonly<Record<string, string>>): Block {
  let { text } = block;
  for (const [one, other] of Object.entries(instead)) text = text.replaceAll(one, other);
  return { ...block, text };
}

/** How many blocks of the guide nothing follows, because they have no name. */
export function namelessBlocks(): number {
  const text = readFileSync(new URL(`../../../../../docs/identity/${GUIDE}`, import.meta.url), "utf8");
  return (text.match(/^```/gm)?.length ?? 0) / 2 - readGuide(GUIDE, {}).length;
}
