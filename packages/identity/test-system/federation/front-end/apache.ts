/** An Apache with configurations of a guide, over HTTPS, one for each port. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { makeCertificate } from "../../certificates.js";

const START_MS = 30_000;
const MODULES = "/usr/lib/apache2/modules";
/** By their files, without `mod_`. */
const LOADED = [
  "mpm_event",
  "authn_core",
  "authz_core",
  "authz_user",
  "headers",
  "proxy",
  "proxy_http",
  "ssl",
  "auth_mellon",
  "auth_openidc",
];

export interface Site {
  readonly port: number;
  readonly configuration: string;
}

export interface Apache {
  /** What it has logged. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** @param options.folder For its files; its own user may read them all. @throws It does not start. */
export async function startApache({
  folder,
  sites,
}: {
  readonly folder: string;
  readonly sites: readonly Site[];
}): Promise<Apache> {
  const file = join(folder, "apache.conf");
  await writeFile(file, configurationOf(folder, sites));
  await chmod(folder, 0o755);
  const child = spawn("/usr/sbin/apache2", ["-DFOREGROUND", "-f", file], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const log = async () => errors + (await readFile(join(folder, "apache.log"), "utf8").catch(() => ""));
  const ended = once(child, "close");
  const deadline = Date.now() + START_MS;
  while (!(await log()).includes("resuming normal operations")) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no Apache:\n${await log()}`);
    await delay(50);
  }
  return {
    log,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function configurationOf(folder: string, sites: readonly Site[]): string {
  const { cert, key } = makeCertificate({ folder, name: "front" });
  const modules = LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`);
  const hosts = sites.map(
    ({ port, configuration }) => `Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
ServerName https://127.0.0.1:${port}
SSLEngine On
SSLCertificateFile ${cert}
SSLCertificateKeyFile ${key}
${configuration}
</VirtualHost>
`,
  );
  return `${modules.join("\n")}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${join(folder, "apache.pid")}
ErrorLog ${join(folder, "apache.log")}
User www-data
Group www-data
StartServers 1
ServerLimit 2
ThreadsPerChild 8
MaxRequestWorkers 16
UseCanonicalName On
${hosts.join("\n")}`;
}
