/** pysaml2's identity provider, as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { freePort } from "../../free-port.js";
import type { FakeClock } from "../fake-clock.js";
import type { PartyOptions, ProviderParty } from "./provider-party.js";

export async function startPysaml2({
  signer,
  host = "127.0.0.1",
  clock,
  ...options
}: PartyOptions & { readonly clock?: FakeClock }): Promise<ProviderParty> {
  const port = await freePort();
  const script = fileURLToPath(new URL("identity-provider.py", import.meta.url));
  const child = spawn("/usr/bin/python3", [script], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...clock?.env },
  });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, "close");

  async function tell(question: object): Promise<string> {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = (await lines.next()) as { value: string; done?: boolean };
    if (done === true) throw new Error(errors);
    return JSON.parse(value) as string;
  }

  const key = signer.privateKey.export({ type: "pkcs8", format: "pem" });
  const metadata = await tell({ ...options, host, port, key, certificate: signer.certificate });
  const url = `http://${host}:${port}`;
  return {
    url,
    entityId: `${url}/metadata`,
    metadata,
    trust: async (service) => void (await tell(service)),
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
