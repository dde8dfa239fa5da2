import { soakContract } from "./soak/soak-contract.js";

// Two minutes in all: too short for a slope.
soakContract({
  seconds: 70,
  perSecond: 60,
  sampleEveryMs: 1000,
  idleMs: 15_000,
  toleranceMegabytes: 10,
});
