/**
 * The clean room: a cluster made by the commands of docs/identity/cluster.md alone, under a mixed load, with everything that can fail,
 * an upgrade and the way back, rotated keys, and a restored backup.
 */
import { setTimeout as delay } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import { halfWritten } from "../half-written.js";
import { loadClient, logInAsAdmin } from "../load/load-client.js";
import { prepareLoad, startLoad, type MixedLoad } from "../load/mixed-load.js";
import { buildLastRelease } from "../upgrade/last-release.js";
import { lostIn } from "../writers.js";
import { faultAt, whole } from "./cluster-faults.js";
import { namelessBlocks, startGuide, type Cluster } from "./guide-machines.js";

/** The sections that are followed under load; those before make the cluster. */
const UNDER_LOAD = [
  "Upgrading the cluster",
  "Rotating keys by hand",
  "Backup of the cluster",
  "Restoring the cluster",
] as const;
/** How long requests are observed after the cluster is whole again: none may fail any more. */
const CALM_MS = 3000;
/** How long it may take to remove the machines, on a busy computer. */
const REMOVAL_MS = 180_000;
/** Until then the last failure of a fault has to be past. */
const HEAL_MS = 60_000;
/** What failed requests are explained by may have been logged before. */
const SLACK_MS = 5000;

export interface CleanRoomOptions {
  /** Of faults. */
  readonly minutes: number;
  /** Requests. */
  readonly perSecond: number;
}

interface Step {
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly begunAt: number;
  readonly seconds: number;
  readonly requests: number;
  readonly failed: number;
  /** From the beginning of the step to its last failed request. */
  readonly failedFor: number;
}

export function cleanRoomContract({ minutes, perSecond }: CleanRoomOptions): void {
  it(
    `the guide's cluster lives through ${minutes} minutes of faults, an upgrade, a rotation and a restore`,
    async () => {
      expect(namelessBlocks()).toBe(0);
      const steps: Step[] = [];
      /** Steps that failed, or in which no request may fail and one did. */
      const failedSteps: Step[] = [];
      const release = await buildLastRelease();
      onTestFinished(() => release.remove());
      const guide = await startGuide(release);
      onTestFinished(() => guide.remove(), REMOVAL_MS);

      expect(guide.sections.slice(-UNDER_LOAD.length)).toEqual(UNDER_LOAD);
      for (const section of guide.sections.slice(0, -UNDER_LOAD.length))
        await timed(steps, `guide: ${section}`, () => guide.follow(section));
      const cluster = guide.cluster();
      const target = { url: cluster.url, password: cluster.adminPassword };
      const issuer = await prepareLoad(target);
      await whole(cluster);

      const load = await startLoad(issuer, { ...target, perSecond });
      onTestFinished(async () => {
        await load.stop();
        report(steps, load);
        for (const failed of failedSteps) reportErrors(cluster, failed);
      }, REMOVAL_MS);
      const step = (name: string, work: () => Promise<unknown>) =>
        timed(steps, name, work, load).catch((error: unknown) => {
          if (error instanceof StepError) failedSteps.push(error.step);
          throw error;
        });
      const planned = async (name: string, work: () => Promise<unknown>) => {
        const done = await step(name, work);
        if (done.failed > 0) failedSteps.push(done);
      };
      await planned("nothing happens", () => delay(CALM_MS));
      const end = performance.now() + minutes * 60_000;
      for (let at = 0; performance.now() < end; at++) {
        const { name, run, isPlanned = false } = faultAt(at);
        const fault = async () => {
          await run(cluster, at);
          await whole(cluster);
          await calm(load);
        };
        await (isPlanned ? planned(name, fault) : step(name, fault));
      }
      const [upgrade, rotation, backup, restore] = UNDER_LOAD;
      await planned("upgrade", () => guide.follow(upgrade));
      if (minutes > 0) {
        await planned("way back", () =>
          guide.follow(upgrade, { instead: { "0.3.0": "0.2.0" }, without: "migrate" }),
        );
        await planned("upgrade again", () => guide.follow(upgrade));
      }
      await planned("rotation of keys", () => guide.follow(rotation));
      await planned("backup", () => guide.follow(backup));
      await planned("nothing happens", () => delay(CALM_MS));
      await load.stop();
      const lost = await lostWrites(cluster, load);

      // The backup that is restored has all writes of the first load, and none of the second.
      await timed(steps, "backup without load", () => guide.follow(backup));
      const later = await startLoad(issuer, { ...target, perSecond, prefix: "later" });
      onTestFinished(() => later.stop(), REMOVAL_MS);
      const restoring = (name: string, work: () => Promise<unknown>) => timed(steps, name, work, later);
      await restoring("nothing happens", () => delay(CALM_MS));
      await restoring("restore, without service", () => guide.follow(restore));
      await restoring("after the restore", () => calm(later));
      await later.stop();
      const lostByRestore = await lostWrites(cluster, load);

      process.stdout.write(`writes lost: ${lost.length}, by the restore: ${lostByRestore.length}\n`);
      expect(lost).toEqual([]);
      expect(lostByRestore).toEqual([]);
      expect(await halfWritten(cluster.databaseUrl)).toEqual([]);
      expect(failedSteps.map(({ name, failed }) => `${name}: ${failed} failed`)).toEqual([]);
    },
    (minutes + 15) * 60_000,
  );
}

/** Runs a step, and adds its time and requests. */
async function timed(
  steps: Step[],
  name: string,
  work: () => Promise<unknown>,
  load?: MixedLoad,
): Promise<Step> {
  const nothing = { requests: 0, failed: 0 };
  const before = load?.counts() ?? nothing;
  const [begun, begunAt] = [performance.now(), Date.now()];
  const end = (): Step => {
    const after = load?.counts() ?? nothing;
    const step = {
      name,
      begunAt,
      seconds: (performance.now() - begun) / 1000,
      requests: after.requests - before.requests,
      failed: after.failed - before.failed,
      failedFor: Math.max(0, ((load?.lastFailureAt() ?? 0) - begun) / 1000),
    };
    steps.push(step);
    return step;
  };
  try {
    await work();
  } catch (error) {
    throw new StepError(end(), { cause: error });
  }
  return end();
}

/** A step that did not end as it should. */
class StepError extends Error {
  constructor(
    readonly step: Step,
    options: ErrorOptions,
  ) {
    super(`${step.name} failed`, options);
  }
}

/** Waits until no request has failed for a while. @throws Requests go on failing. */
async function calm(load: MixedLoad): Promise<void> {
  const begun = performance.now();
  while (performance.now() < Math.max(begun, load.lastFailureAt()) + CALM_MS) {
    if (performance.now() > begun + HEAL_MS)
      throw new Error(`requests go on failing: ${JSON.stringify(load.failures())}`);
    await delay(100);
  }
}

async function lostWrites({ url, adminPassword }: Cluster, load: MixedLoad): Promise<string[]> {
  const client = loadClient(url);
  try {
    return await lostIn(await logInAsAdmin(client, adminPassword), load.ledger);
  } finally {
    client.close();
  }
}

function report(steps: readonly Step[], load: MixedLoad): void {
  const rows = steps.map(({ name, seconds, requests, failed, failedFor }) => [
    name,
    seconds.toFixed(1),
    ...(requests === 0 ? ["", "", ""] : [String(requests), String(failed), failedFor.toFixed(1)]),
  ]);
  const lines = [["step", "s", "requests", "failed", "last failure after s"], ...rows].map(
    ([name = "", ...numbers]) => name.padEnd(50) + numbers.map((each) => each.padStart(9)).join(""),
  );
  const { requests, failed } = load.counts();
  const setUp = steps.filter(({ name }) => name.startsWith("guide: "));
  const setUpSeconds = setUp.reduce((sum, { seconds }) => sum + seconds, 0);
  process.stdout.write(
    [
      ...lines,
      `commands of the guide: ${setUpSeconds.toFixed(0)} s`,
      `${requests} requests, ${failed} failed ${JSON.stringify(load.failures())}`,
      `${load.ledger.present.size + load.ledger.absent.size + load.ledger.grants.size} writes acknowledged`,
      "",
    ].join("\n"),
  );
}

/** What the services and Patroni have logged meanwhile, equal lines once with their number; and HAProxy's last lines, which have no time. */
function reportErrors({ machines, balancer }: Cluster, { name, begunAt, seconds }: Step): void {
  process.stdout.write(`meanwhile (${name}):\n`);
  for (const machine of machines) {
    const lines = new Map<string, number>();
    const add = (line: string) => lines.set(line, (lines.get(line) ?? 0) + 1);
    const isMeanwhile = (time: string) => {
      const at = Date.parse(time);
      return at >= begunAt - SLACK_MS && at <= begunAt + seconds * 1000;
    };
    for (const line of machine.read("var/log/hamkit-identity.log").split("\n")) {
      const [, time = ""] = /"time":"([^"]*)"/.exec(line) ?? [];
      if (!isMeanwhile(time) || !/"level":"(?:warn|error)"/.test(line)) continue;
      const messages = [...line.matchAll(/"(?:message|msg)":"((?:[^"\\]|\\.)*)"/g)];
      add(messages.map(([, message = ""]) => message).join(" < "));
    }
    for (const line of machine.read("var/log/patroni.log").split("\n")) {
      const [, day = "", time = ""] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(line) ?? [];
      if (isMeanwhile(`${day}T${time}Z`)) add(line.slice(24));
    }
    for (const [line, count] of lines) process.stdout.write(`${machine.name}: ${count} times ${line}\n`);
  }
  for (const line of balancer.read("var/log/haproxy.log").split("\n").slice(-20))
    process.stdout.write(`balancer: ${line}\n`);
}
