/** Mixed load for a long time, on both databases at once: memory, descriptors and connections stay bounded. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  postgresDatabases,
  sqliteDatabases,
  type TestDatabase,
  type TestDatabases,
} from "../../../test/databases.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import { startSoakLoad } from "./soak-load.js";
import { watchProcess, type Sample } from "./process-watch.js";
import { median, theilSen, type Slope } from "../../../test/theil-sen.js";

/** Resident memory in MB, without SAML. */
export const MAX_MEGABYTES = { afterStart: 100, underLoad: 130, afterLoad: 120 };
/** Requests, readiness checks, notifications. */
const MAX_CONNECTIONS = 13;
/** Clients, connections to the database, files: a process has some 40. */
const MAX_DESCRIPTORS = 80;
const AFTER_LOAD_MS = 30_000;

export interface SoakOptions {
  /** Of the load. */
  readonly seconds: number;
  /** Requests per second to each of the two services. */
  readonly perSecond: number;
  readonly sampleEveryMs: number;
  /** After the start. */
  readonly idleMs: number;
  /** Above each bound of memory: garbage is collected late on a busy machine. */
  readonly toleranceMegabytes: number;
}

export interface Soak {
  readonly afterStart: Sample;
  readonly underLoad: readonly Sample[];
  readonly peakMegabytes: number;
  readonly afterLoad: Sample;
  readonly answered: number;
  readonly unexpected: readonly string[];
}

/**
 * Checks bounds that hold on a busy machine too: of memory under load the median, since its peak depends on how late garbage is collected.
 *
 * @param more Further checks of the measurements.
 */
export function soakContract(options: SoakOptions, more: (soakOf: () => Soak) => void = () => {}): void {
  const { toleranceMegabytes } = options;
  const max = {
    afterStart: MAX_MEGABYTES.afterStart + toleranceMegabytes,
    underLoad: MAX_MEGABYTES.underLoad + toleranceMegabytes,
    afterLoad: MAX_MEGABYTES.afterLoad + toleranceMegabytes,
  };
  describe(`${options.seconds} s of mixed load`, () => {
    const soaks = new Map<string, Soak>();
    beforeAll(
      async () => {
        const names = [sqliteDatabases, postgresDatabases].map(async (databases) =>
          soaks.set(databases.name, await soak(databases, options)),
        );
        await Promise.all(names);
      },
      options.seconds * 1000 + 240_000,
    );
    afterAll(() => {
      for (const [name, measured] of soaks) process.stdout.write(`${name}: ${summaryOf(measured)}\n`);
    });

    for (const { name } of [sqliteDatabases, postgresDatabases])
      describe(`the service on ${name}`, () => {
        const soakOf = () => soaks.get(name) as Soak;

        it("answers as expected", () => {
          expect(soakOf().unexpected.slice(0, 5)).toEqual([]);
          expect(soakOf().answered).toBeGreaterThan(options.seconds);
        });

        it(`has at most ${max.afterStart} MB after the start`, () => {
          expect(soakOf().afterStart.megabytes).toBeLessThanOrEqual(max.afterStart);
        });

        it(`has at most ${max.underLoad} MB under load`, () => {
          const megabytes = median(soakOf().underLoad.map((sample) => sample.megabytes));
          expect(megabytes).toBeLessThanOrEqual(max.underLoad);
        });

        it(`has at most ${max.afterLoad} MB half a minute after it`, () => {
          expect(soakOf().afterLoad.megabytes).toBeLessThanOrEqual(max.afterLoad);
        });

        it("has a bounded number of descriptors and connections", () => {
          const { underLoad } = soakOf();
          expect(Math.max(...underLoad.map(({ descriptors }) => descriptors))).toBeLessThanOrEqual(
            MAX_DESCRIPTORS,
          );
          expect(Math.max(...underLoad.map(({ connections }) => connections))).toBeLessThanOrEqual(
            MAX_CONNECTIONS,
          );
        });

        it("closes what the load has opened", () => {
          const { afterStart, afterLoad } = soakOf();
          expect(afterLoad.descriptors).toBeLessThanOrEqual(afterStart.descriptors + 3);
          expect(afterLoad.connections).toBeLessThanOrEqual(afterStart.connections + 3);
        });

        more(soakOf);
      });
  });
}

/** Of the medians of each minute, in the second half of the load, in MB per hour. */
export function memorySlope({ underLoad }: Soak): Slope {
  const minutes = new Map<number, Sample[]>();
  for (const sample of underLoad.slice(Math.floor(underLoad.length / 2))) {
    const minute = Math.floor(sample.hours * 60);
    minutes.set(minute, [...(minutes.get(minute) ?? []), sample]);
  }
  return theilSen(
    Array.from(minutes, ([minute, samples]) => ({
      x: minute / 60,
      y: median(samples.map(({ megabytes }) => megabytes)),
    })),
  );
}

async function soak(databases: TestDatabases, options: SoakOptions): Promise<Soak> {
  const place = await databases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-soak-"));
  let service: ServiceProcess | undefined;
  try {
    const named = nameSessions(place);
    service = await startService({
      databaseUrl: named.databaseUrl,
      folder,
      // Tokens end within the run, and what is kept for them is deleted.
      env: { IDENTITY_RATE_LIMIT: "on", IDENTITY_TOKEN_LIFETIME: "300", IDENTITY_EXPIRED_TOKEN_WINDOW: "60" },
    });
    return await measure(service, { ...options, ...(named.applicationName !== "" && { sessions: named }) });
  } finally {
    await service?.stop();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function nameSessions({ url }: TestDatabase): { databaseUrl: string; applicationName: string } {
  if (url.startsWith("sqlite:")) return { databaseUrl: url, applicationName: "" };
  const applicationName = `soak-${randomUUID()}`;
  return { databaseUrl: `${url}&application_name=${applicationName}`, applicationName };
}

async function measure(
  { pid, url }: ServiceProcess,
  options: SoakOptions & { readonly sessions?: { databaseUrl: string; applicationName: string } },
): Promise<Soak> {
  await delay(options.idleMs);
  const { sessions } = options;
  // The watch's own connection has another name.
  const watch = await watchProcess({
    pid,
    url,
    ...(sessions && {
      sessions: {
        ...sessions,
        databaseUrl: sessions.databaseUrl.replace(`&application_name=${sessions.applicationName}`, ""),
      },
    }),
  });
  try {
    const afterStart = await watch.sample();
    const load = await startSoakLoad({ url, perSecond: options.perSecond });
    const underLoad: Sample[] = [];
    try {
      const end = performance.now() + options.seconds * 1000;
      while (performance.now() < end) {
        await delay(options.sampleEveryMs);
        underLoad.push(await watch.sample());
      }
    } finally {
      await load.stop();
    }
    const peakMegabytes = watch.peakMegabytes();
    await delay(AFTER_LOAD_MS);
    const { unexpected } = load;
    return {
      afterStart,
      underLoad,
      peakMegabytes,
      afterLoad: await watch.sample(),
      answered: load.answered(),
      unexpected,
    };
  } finally {
    await watch.close();
  }
}

function summaryOf(measured: Soak): string {
  const { afterStart, underLoad, peakMegabytes, afterLoad, answered } = measured;
  const underLoadMegabytes = median(underLoad.map(({ megabytes: each }) => each));
  const megabytes = [afterStart.megabytes, underLoadMegabytes, peakMegabytes, afterLoad.megabytes];
  const most = (of: (sample: Sample) => number) => Math.max(...underLoad.map(of));
  const lag = median(underLoad.map(({ lagMs }) => lagMs));
  const { slope, low, high } = memorySlope(measured);
  return [
    `${answered} requests`,
    `${megabytes.map((each) => each.toFixed(1)).join(", ")} MB after the start, under load (median, peak), after it`,
    `slope ${slope.toFixed(2)} MB/h (99 %: ${low.toFixed(2)} to ${high.toFixed(2)})`,
    `descriptors ${afterStart.descriptors}, ${most(({ descriptors }) => descriptors)}, ${afterLoad.descriptors}`,
    `connections ${afterStart.connections}, ${most(({ connections }) => connections)}, ${afterLoad.connections}`,
    `event loop late by ${lag.toFixed(1)} ms (median of 99th percentiles)`,
  ].join("; ");
}
