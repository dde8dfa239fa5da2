/**
 * Resident memory of the identity service, one process: idle after the start, under the load of the subjects `identity` and
 * `federation`, and idle again.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import { loadFederation } from "./federation-bench.mjs";
import { loadIdentity } from "./identity-bench.mjs";
import { megabytesIn, onEachDatabase } from "./identity-service.mjs";

const IDLE_MS = 30_000;

export async function bench({ row }) {
  await onEachDatabase({}, row, (name, service) =>
    measure(name, { service, row, load: loadIdentity, limits: { start: 100, load: 130, after: 120 } }),
  );
  await loadFederation(row, (name, service, load) =>
    measure(`${name}, SAML`, { service, row, load, limits: { load: 160 } }),
  );
}

async function measure(name, { service, row, load, limits }) {
  const { pid } = service;
  const rows = (work, { total, anonymous, files }, limit) => {
    row({ work: `${name}: memory ${work}`, hamkit: total, unit: "MB", limit });
    row({ work: "  anonymous", hamkit: anonymous, unit: "MB" });
    row({ work: "  mapped from files", hamkit: files, unit: "MB" });
  };
  await delay(IDLE_MS);
  rows("30 s after the start", residentMemory(pid), limits.start);
  forgetPeak(pid);
  await load(name, service, () => {});
  row({ work: `${name}: memory under load, peak`, hamkit: peakMemory(pid), unit: "MB", limit: limits.load });
  await delay(IDLE_MS);
  rows("30 s after the load", residentMemory(pid), limits.after);
}

/** Megabytes that a process has in memory. */
function residentMemory(pid) {
  const [total, anonymous, files] = ["VmRSS", "RssAnon", "RssFile"].map((field) => megabytesIn(pid, field));
  return { total, anonymous, files };
}

/** The most megabytes since the last {@link forgetPeak}. */
const peakMemory = (pid) => megabytesIn(pid, "VmHWM");

/** @see proc_pid_clear_refs(5) */
const forgetPeak = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, "5");
