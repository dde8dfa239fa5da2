/** A service that the commands of guides configure, typed into a shell with Debian's `openstack`. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestDatabase, TestDatabases } from "../../../test/databases.js";
import { openOpenstackShell } from "../../clients/openstack-shell.js";
import { freePort } from "../../free-port.js";
import { runProgram } from "../../run-program.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";

/** User, groups and project of a token. */
export interface TokenFacts {
  readonly user: string;
  /** Names of the groups that the provider has put its owner in, in alphabetical order. */
  readonly groups: readonly string[];
  readonly project: string | undefined;
}

export interface GuideService {
  readonly process: ServiceProcess;
  /** The service's certificate in its metadata, in base64. */
  certificate(): Promise<string>;
  /** As the administrator. */
  ask<Answer>(method: string, path: string, body?: object): Promise<Answer>;
  factsOf(token: string): Promise<TokenFacts>;
  /** Puts a file where the commands run. */
  write(name: string, content: string): Promise<void>;
  /** Replaces a third-party program of a guide by one that prints this text. */
  pretend(program: string, output: string): Promise<void>;
  /** Runs commands as the administrator. @returns Their output. @throws One of them failed. */
  run(commands: string): Promise<string>;
  /** Runs commands as a user who has nothing but them. */
  runAlone(commands: string): Promise<string>;
  close(): Promise<void>;
}

export async function guideService(databases: TestDatabases): Promise<GuideService> {
  const place = await databases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const process = await startService({
    databaseUrl: place.url,
    folder,
    port: await freePort(),
    env: { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_LOG_LEVEL: "info" },
  });
  const { token: admin } = await adminClient(process.url);

  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(process.url + path, {
      method,
      headers: { "x-auth-token": admin, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  const program = async (path: string, script: string) => {
    await writeFile(join(folder, path), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, path), 0o755);
  };
  for (const name of ["typing", "others"]) await mkdir(join(folder, name));
  const typist = await openTypist(process.url, folder);
  await program("typing/openstack", typist.script);
  const shell = shellIn(folder, process.url);
  await ask("POST", "/v3/projects", { project: { name: "atelier", domain_id: "default" } });
  return {
    process,
    ask,
    async certificate() {
      const answer = await fetch(`${process.url}/v3/OS-FEDERATION/saml2/metadata`);
      return (/X509Certificate>([^<]+)</.exec(await answer.text())?.[1] ?? "").replaceAll(/\s/g, "");
    },
    factsOf: (token) => factsOf(token, admin, process.url),
    write: (name, content) => writeFile(join(folder, name), content),
    pretend: (name, output) => program(`others/${name}`, `cat <<'END'\n${output}\nEND`),
    run: (commands) => shell(commands, { PATH: `${folder}/typing:${PATH}` }),
    runAlone: (commands) => shell(commands, { PATH: `${folder}/others:${PATH}` }),
    async close() {
      await typist.close();
      await closeAll(process, place, folder);
    },
  };
}

async function closeAll(process: ServiceProcess, place: TestDatabase, folder: string): Promise<void> {
  await process.stop();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
}

const PATH = "/usr/bin:/bin";

interface Typist {
  /** Has its arguments typed. */
  readonly script: string;
  close(): Promise<void>;
}

/** Starting `openstack` takes longer than its commands: one that is started types all of the administrator's. */
async function openTypist(url: string, folder: string): Promise<Typist> {
  const shell = openOpenstackShell(url, folder);
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => void typeFor(response, JSON.parse(body) as string[]));
  });
  async function typeFor(response: ServerResponse, words: readonly string[]): Promise<void> {
    const output = await shell.type(words.map(quoted).join(" "));
    const isRefused = /error: |\(HTTP \d+\)|usage: |is not an openstack command/.test(output);
    response.writeHead(isRefused ? 400 : 200).end(`${output}\n`);
  }
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    script: `jq -nc '$ARGS.positional' --args -- "$@" | curl -sS --fail-with-body -d @- http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await shell.close();
    },
  };
}

function quoted(word: string): string {
  return /[^\w:./=-]/.test(word) ? `'${word}'` : word;
}

function listen(server: Server): Promise<void> {
  return new Promise((done) => server.listen(0, "127.0.0.1", done));
}

function shellIn(folder: string, url: string) {
  return async (commands: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const { exit, output, errors } = await runProgram(
      [
        "/usr/bin/env",
        "-i",
        "-C",
        folder,
        ...pairsOf({ ...basic(folder, url), ...env }),
        "/bin/bash",
        "-e",
        "-o",
        "pipefail",
      ],
      // Input for a prompt, after the commands.
      { input: `{\n${commands}\n} <<<""\n` },
    );
    if (exit !== 0) throw new Error(`${commands}\n${output}\n${errors}`);
    return output;
  };
}

function basic(folder: string, url: string): Readonly<Record<string, string>> {
  return {
    HOME: folder,
    OS_AUTH_URL: `${url}/v3`,
    OS_IDENTITY_API_VERSION: "3",
    NO_PROXY: "127.0.0.1",
  };
}

function pairsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface TokenResponse {
  readonly token: {
    readonly user: { readonly name: string; readonly "OS-FEDERATION": { readonly groups: readonly Named[] } };
    readonly project?: Named;
  };
}

async function factsOf(token: string, admin: string, url: string): Promise<TokenFacts> {
  const headers = { "x-auth-token": admin, "x-subject-token": token };
  const answer = await fetch(`${url}/v3/auth/tokens`, { headers });
  const { user, project } = ((await answer.json()) as TokenResponse).token;
  const all = await fetch(`${url}/v3/groups`, { headers });
  const { groups } = (await all.json()) as { groups: readonly Named[] };
  const ids = new Set(user["OS-FEDERATION"].groups.map(({ id }) => id));
  const names = groups.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  return { user: user.name, groups: names.toSorted(), project: project?.name };
}
