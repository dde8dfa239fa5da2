/** Attacks and rotations across replicas while the primary is killed. */
import { setTimeout as delay } from "node:timers/promises";

import { expect } from "vitest";

import { openDatabase } from "../../../src/platform/database/open-database.js";
import { listSigningKeys } from "../../../src/tokens/signing-keys.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { MAIN } from "../../run-command.js";
import type { ProviderParty } from "../../federation/saml/provider-party.js";
import { startSamlify } from "../../federation/saml/samlify-provider.js";
import { logInAtProvider, protocolPath, type SamlForm } from "../../federation/saml/saml-service.js";
import { runProgram } from "../../run-program.js";
import { adminClient, logIn, validationStatus, type AdminClient } from "../admin-client.js";
import type { PatroniCluster } from "./patroni-cluster.js";
import type { Replicas } from "./replicas.js";

/** Of the replicas of this test. */
export const GUESSES = 5;
export const SECURITY_SETTINGS = {
  IDENTITY_RATE_LIMIT: "on",
  IDENTITY_LOGIN_FAILURES: String(GUESSES),
  IDENTITY_ALLOW_HTTP_ISSUERS: "on",
};
/** How long a change may take to reach all replicas. */
const SPREAD_MS = 1500;
/** Replicas read the keys again after this time: of two rotations within it, the second ends tokens that a replica still issues. */
const KEY_CACHE_MS = 31_000;
const PASSWORD = "pw-of-a-user";

export interface SecurityProbe {
  readonly cluster: PatroniCluster;
  readonly replicas: Replicas;
  readonly round: number;
  /** Kills the primary, and returns when the cluster is whole again. */
  readonly failOver: () => Promise<unknown>;
}

/** Fails over while everything that must not succeed is tried at all replicas. */
export async function probeSecurity({ cluster, replicas, round, failOver }: SecurityProbe): Promise<void> {
  const urls = replicas.all.map(({ url }) => url);
  const [url = ""] = urls;
  const admin = await adminClient(url);
  const party = await startSamlify({ signer: newSigner() });
  const known = await readNewestKey(cluster);
  try {
    const path = await introduce(admin, { url, party, id: `idp${round}` });
    const user = await createUser(admin, `guessed${round}`);
    const [used, unused] = [
      await logInAtProvider(url + path, party),
      await logInAtProvider(url + path, party),
    ];
    expect(await postForm(url + path, used)).toBe(true);
    const [revoked, later] = [await tokenOf(url, user), await tokenOf(url, user)];
    expect(await revoke(url, admin, revoked)).toBe(204);
    const guess = (at: string) => logIn(at, { name: user, password: "wrong" }).then(({ status }) => status);
    for (let count = 0; count < GUESSES; count++) expect(await guess(url)).toBe(401);
    await expect
      .poll(async () => Promise.all(urls.map(guess)), { timeout: 10_000, interval: 500 })
      .toEqual([429, 429, 429]);
    await delay(Math.max(SPREAD_MS, known.createdAt + KEY_CACHE_MS - Date.now()));

    const seen = { replays: 0, logins: 0, revoked: 0, revokedLater: 0, guesses: 0 };
    let laterRevokedAt = Infinity;
    const end = new AbortController();
    const attacks = urls.map(async (at) => {
      while (!end.signal.aborted) {
        const validatedAt = performance.now();
        const [replayed, loggedIn, statusOfRevoked, statusOfLater, statusOfGuess] = await Promise.all([
          postForm(at + path, used),
          postForm(at + path, unused),
          validationStatus(at, { token: admin.token, subject: revoked }),
          validationStatus(at, { token: admin.token, subject: later }),
          guess(at),
        ]);
        if (replayed) seen.replays++;
        if (loggedIn) seen.logins++;
        if (statusOfRevoked === 200) seen.revoked++;
        if (statusOfLater === 200 && validatedAt > laterRevokedAt + SPREAD_MS) seen.revokedLater++;
        if (statusOfGuess === 401) seen.guesses++;
        await delay(50);
      }
    });
    const revokeLater = async () => {
      await untilDone(async () => (await revoke(url, admin, later)) === 204, end.signal);
      laterRevokedAt = performance.now();
    };
    const revoking = revokeLater();
    const rotating = untilDone(() => rotateOnce(cluster, replicas, known.number), end.signal);
    await failOver();
    await Promise.all([revoking, rotating]);
    await delay(SPREAD_MS);
    end.abort();
    await Promise.all(attacks);

    expect(seen).toMatchObject({ replays: 0, revoked: 0, revokedLater: 0, guesses: 0 });
    expect(seen.logins).toBeLessThanOrEqual(1);
    expect(laterRevokedAt).toBeLessThan(Infinity);
    expect((await readNewestKey(cluster)).number).toBe(known.number + 1);
    // A process that knows nothing but the database.
    await replicas.restart(2);
    expect(await guess(urls[2] ?? "")).toBe(429);
    await expectTokensEverywhere(urls);
  } finally {
    await party.close();
  }
}

/** Every replica accepts what each of them issues with the rotated keys. */
async function expectTokensEverywhere(urls: readonly string[]): Promise<void> {
  for (const issuer of urls) {
    const { token } = await adminClient(issuer);
    const statuses = urls.map((at) => validationStatus(at, { token, subject: token }));
    expect(await Promise.all(statuses)).toEqual(urls.map(() => 200));
  }
}

async function introduce(
  admin: AdminClient,
  { url, party, id }: { readonly url: string; readonly party: ProviderParty; readonly id: string },
): Promise<string> {
  const federation = "/v3/OS-FEDERATION";
  const rules = [{ remote: [{ type: "uid" }], local: [{ user: { name: "{0}" } }] }];
  const provider = { enabled: true, remote_ids: [party.entityId] };
  const settings = { type: "saml2", idp_metadata_xml: party.metadata };
  const protocol = { mapping_id: id, settings };
  const answers = [
    await admin.ask("PUT", `${federation}/mappings/${id}`, { mapping: { rules } }),
    await admin.ask("PUT", `${federation}/identity_providers/${id}`, { identity_provider: provider }),
    await admin.ask("PUT", protocolPath(id), { protocol }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const metadata = await (await fetch(`${url}${federation}/saml2/metadata`)).text();
  await party.trust({ metadata, entityId: `${url}${federation}/saml2/idp` });
  return `${protocolPath(id)}/auth`;
}

async function createUser(admin: AdminClient, name: string): Promise<string> {
  const user = { name, domain_id: "default", password: PASSWORD };
  expect((await admin.ask("POST", "/v3/users", { user })).status).toBe(201);
  return name;
}

async function tokenOf(url: string, name: string): Promise<string> {
  const { status, headers } = await logIn(url, { name, password: PASSWORD });
  expect(status).toBe(201);
  return headers.get("x-subject-token") ?? "";
}

/** @returns Whether it was a login. */
async function postForm(at: string, { body, headers }: SamlForm): Promise<boolean> {
  const answer = await fetch(at, { method: "POST", body, headers, redirect: "manual" });
  await answer.body?.cancel();
  return answer.headers.has("x-subject-token");
}

async function revoke(at: string, { token }: AdminClient, subject: string): Promise<number> {
  const headers = { "x-auth-token": token, "x-subject-token": subject };
  return (await fetch(`${at}/v3/auth/tokens`, { method: "DELETE", headers })).status;
}

interface NewestKey {
  readonly number: number;
  readonly createdAt: number;
}

async function readNewestKey({ url }: PatroniCluster): Promise<NewestKey> {
  const database = openDatabase(url);
  try {
    const [newest] = await listSigningKeys(database);
    return newest ?? { number: 0, createdAt: 0 };
  } finally {
    await database.close();
  }
}

/** A command that fails while the primary goes away may have rotated: it is repeated only if the primary has no new key. @returns Whether there is one. */
async function rotateOnce(cluster: PatroniCluster, replicas: Replicas, known: number): Promise<boolean> {
  const newest = await readNewestKey(cluster).catch(() => undefined);
  if (newest === undefined) return false;
  return newest.number > known || (await rotateKeys(cluster, replicas));
}

/** By the command, as an operator does. @returns Whether it succeeded. */
async function rotateKeys(cluster: PatroniCluster, { folder }: Replicas): Promise<boolean> {
  const env = {
    HOME: folder,
    IDENTITY_DATABASE_URL: cluster.url,
    IDENTITY_MASTER_KEY_FILE: `${folder}/master.key`,
  };
  const { exit } = await runProgram([process.execPath, MAIN, "keys", "rotate", "--force"], { env });
  return exit === 0;
}

async function untilDone(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await attempt())) await delay(100);
}
