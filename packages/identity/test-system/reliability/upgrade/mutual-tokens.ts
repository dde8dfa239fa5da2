/** Tokens of one replica at another one. */
import { expect } from "vitest";

import type { Issuer } from "../../../test/federation/workload/issuer.js";
import { ADMIN_PASSWORD } from "../../service-process.js";
import { loadClient, passwordLogin, type LoadClient, type LoadResponse } from "../load/load-client.js";
import { logInAsWorkload } from "../load/mixed-load.js";

/** How long a change may take to reach all replicas. */
const SPREAD_MS = 1500;

/** The scopes of password logins. */
const SCOPES = {
  unscoped: undefined,
  project: { project: { name: "admin", domain: { id: "default" } } },
  system: { system: { all: true } },
};

/** Has each replica issue a token of each kind, and all of them validate, use, rescope and revoke it. */
export async function expectMutualTokens(urls: readonly string[], issuer: Issuer): Promise<void> {
  const clients = urls.map(loadClient);
  try {
    for (const client of clients) await expectTokensOf(client, clients, issuer);
  } finally {
    for (const client of clients) client.close();
  }
}

async function expectTokensOf(
  client: LoadClient,
  everywhere: readonly LoadClient[],
  issuer: Issuer,
): Promise<void> {
  const issued = {
    unscoped: await logInFor(client, "unscoped"),
    project: await logInFor(client, "project"),
    system: await logInFor(client, "system"),
    federated: tokenOf(await logInAsWorkload(client, issuer, "mutual")),
  };
  const shown = await Promise.all(
    everywhere.map(async (each) => {
      const answers = Object.entries(issued).map(async ([kind, subject]) => {
        const { status, body } = await each.ask("GET", "/v3/auth/tokens", { token: issued.system, subject });
        return [kind, status, body.token?.audit_ids, body.token?.roles];
      });
      return Promise.all(answers);
    }),
  );
  // All of them show the same.
  expect(shown).toEqual(shown.map(() => shown[0]));
  expect(shown[0]?.map(([, status]) => status)).toEqual(Object.keys(issued).map(() => 200));

  for (const each of everywhere) {
    const rescoped = await each.send("POST", "/v3/auth/tokens", { body: byToken(issued.unscoped) });
    expect(await statusesOf(tokenOf(rescoped), issued.system, everywhere)).toEqual(everywhere.map(() => 200));
  }
  for (const each of everywhere) {
    const revoked = await logInFor(client, "project");
    const answer = await each.send("DELETE", "/v3/auth/tokens", { token: issued.system, subject: revoked });
    expect(answer.status).toBe(204);
    await expect
      .poll(() => statusesOf(revoked, issued.system, everywhere), { timeout: SPREAD_MS })
      .toEqual(everywhere.map(() => 404));
  }
}

function statusesOf(
  subject: string,
  token: string,
  everywhere: readonly LoadClient[],
): Promise<readonly number[]> {
  return Promise.all(
    everywhere.map(async (each) => (await each.send("GET", "/v3/auth/tokens", { token, subject })).status),
  );
}

async function logInFor(client: LoadClient, scope: keyof typeof SCOPES): Promise<string> {
  const body = passwordLogin(ADMIN_PASSWORD, SCOPES[scope]);
  return tokenOf(await client.send("POST", "/v3/auth/tokens", { body }));
}

function byToken(id: string): object {
  return { auth: { identity: { methods: ["token"], token: { id } }, scope: SCOPES.project } };
}

function tokenOf({ status, headers, text }: LoadResponse): string {
  expect([status, text]).toEqual([201, expect.anything()]);
  return String(headers["x-subject-token"]);
}
