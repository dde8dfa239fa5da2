/** Runs the commands of docs/identity/passkeys.md: a passkey is required, and reset when it is lost. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { softwareAuthenticator } from "../../test/passkeys/software-authenticator.js";
import { linesFor, readGuide } from "../federation/keystone/guide.js";
import { adminClient } from "../reliability/admin-client.js";
import { MAIN } from "../run-command.js";
import { runProgram } from "../run-program.js";
import { startService } from "../service-process.js";

const ORIGIN = "https://id.example.org";

it("the guide's commands require a passkey, and are the way back when it is lost", async () => {
  const place = await sqliteDatabases.create();
  onTestFinished(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { IDENTITY_PASSKEY_RP_ID: "example.org", IDENTITY_PASSKEY_ORIGINS: ORIGIN };
  const service = await startService({ databaseUrl: place.url, folder, env });
  onTestFinished(() => service.stop());
  const admin = await adminClient(service.url);
  const user = { name: "ada", domain_id: "default", password: "first-secret" };
  const { id } = (await admin.ask("POST", "/v3/users", { user })).body.user;

  async function ask(path: string, body: object, token?: string) {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { "x-auth-token": token }),
    };
    const response = await fetch(`${service.url}/v3${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const subject = response.headers.get("x-subject-token") ?? "";
    return { status: response.status, body: JSON.parse(await response.text()), token: subject };
  }
  const logIn = (identity: object) => ask("/auth/tokens", { auth: { identity } });
  const byPassword = () =>
    logIn({ methods: ["password"], password: { user: { id, password: user.password } } });
  const authenticator = softwareAuthenticator(ORIGIN);
  const byPasskey = async () => {
    const { options } = (await ask("/auth/webauthn/options", {})).body;
    return logIn({ methods: ["webauthn"], webauthn: { assertion: authenticator.get(options) } });
  };
  const { token } = await byPassword();
  const { options } = (await ask(`/users/${id}/passkeys/options`, {}, token)).body;
  const passkey = { name: "phone", credential: authenticator.create(options) };
  expect((await ask(`/users/${id}/passkeys`, { passkey }, token)).status).toBe(201);

  const guide = readGuide("passkeys.md", {});
  const follow = async (block: string) => {
    const lines = linesFor(guide, block);
    expect(lines).not.toBe("");
    const program = `hamkit-identity() { "${process.execPath}" "${MAIN}" "$@"; }\n`;
    const { exit, output, errors } = await runProgram(["/bin/bash", "-ec", program + lines], {
      env: {
        PATH: "/usr/bin:/bin",
        TOKEN: admin.token,
        OS_AUTH_URL: `${service.url}/v3`,
        USER_ID: id,
        IDENTITY_DATABASE_URL: place.url,
        IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
      },
    });
    expect([block, exit, errors]).toEqual([block, 0, ""]);
    return output;
  };
  await follow("require");
  expect([(await byPassword()).status, (await byPasskey()).status]).toEqual([401, 201]);
  const output = await follow("reset");
  expect(output).toContain('"name":"phone"');
  expect(output).toContain("Deleted the multi-factor rules of user ada");
  await expect.poll(async () => (await byPassword()).status).toBe(201);
  expect((await byPasskey()).status).toBe(401);
  expect((await admin.ask("GET", `/v3/users/${id}/passkeys`)).body.passkeys).toEqual([]);
});
