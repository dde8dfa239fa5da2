/** Verified tokens of workloads are not verified again, until something that this depends on changes. */
import { createLocalJWKSet, type JWTVerifyGetKey } from "jose";
import { beforeEach, expect, it } from "vitest";

import {
  createWorkloadVerification,
  type WorkloadCheck,
} from "../../../src/federation/protocols/openid/workload/workload-token.js";
import { refusalOf } from "../openid/test-verifier.js";
import { AUDIENCE, createIssuer, GITHUB_JOB, jobAt } from "./issuer.js";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const issuer = createIssuer();

let now: number;
let lookups: number;
let verify: ReturnType<typeof createWorkloadVerification>;
let check: WorkloadCheck;
beforeEach(() => {
  now = NOW;
  lookups = 0;
  verify = createWorkloadVerification();
  check = { settings: settings(), keys: countingKeys(), clock: { now: () => now } };
});

function settings(sub = "repo:octo-org/octo-repo:*"): WorkloadCheck["settings"] {
  return {
    type: "openid",
    issuer: GITHUB_JOB.iss,
    token_kinds: ["workload"],
    audiences: [AUDIENCE],
    conditions: [{ claim: "sub", values: [sub] }],
  };
}

function countingKeys(): JWTVerifyGetKey {
  const find = createLocalJWKSet({ keys: [issuer.jwk] });
  return (header, token) => {
    lookups += 1;
    return find(header, token);
  };
}

it("is verified once", async () => {
  const token = await issuer.sign(jobAt(NOW));
  const first = await verify(token, check);
  expect(await verify(token, check)).toBe(first);
  expect(lookups).toBe(1);
});

it("is verified again with other keys", async () => {
  const token = await issuer.sign(jobAt(NOW));
  await verify(token, check);
  await verify(token, { ...check, keys: countingKeys() });
  expect(lookups).toBe(2);
});

it("is verified again with other settings", async () => {
  const token = await issuer.sign(jobAt(NOW));
  await verify(token, check);
  const changed = { ...check, settings: settings("repo:octo-org/other:*") };
  expect(await refusalOf(verify(token, changed))).toMatch(/^workload: unexpected "sub"/);
});

it("is not verified again with the same settings in another object, which any change of facts makes", async () => {
  const token = await issuer.sign(jobAt(NOW));
  const first = await verify(token, check);
  expect(await verify(token, { ...check, settings: settings() })).toBe(first);
  expect(lookups).toBe(1);
});

it("expires", async () => {
  const token = await issuer.sign(jobAt(NOW));
  await verify(token, check);
  now += 361_000;
  expect(await refusalOf(verify(token, check))).toMatch(/^workload: "exp" claim timestamp check failed/);
});

it("is verified if it differs in its last character", async () => {
  const token = await issuer.sign(jobAt(NOW));
  await verify(token, check);
  const other = token.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
  expect(await refusalOf(verify(other, check))).not.toBe("not refused");
});

it("is not kept if it was rejected", async () => {
  const token = await issuer.sign(jobAt(NOW, { sub: "repo:evil/x:y" }));
  for (const _ of [1, 2]) expect(await refusalOf(verify(token, check))).toMatch(/unexpected "sub"/);
  expect(lookups).toBe(2);
});

it("is forgotten when 250 others came later", async () => {
  const token = await issuer.sign(jobAt(NOW));
  const result = await verify(token, check);
  let verifications = 0;
  const cached = createWorkloadVerification(async () => {
    verifications += 1;
    return result;
  });
  for (let number = 0; number <= 250; number += 1) await cached(`${token}${number}`, check);
  await cached(`${token}1`, check);
  expect(verifications).toBe(251);
  await cached(`${token}0`, check);
  expect(verifications).toBe(252);
});
