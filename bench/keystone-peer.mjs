/** Debian's Keystone as the peer of a benchmark: two processes behind Apache, on PostgreSQL, on this machine in the same run. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseOnPostgres, freePort, until } from "./identity-service.mjs";
import { createKeystone, isInstalled } from "./keystone-database.mjs";

const PROGRAM = "/usr/bin/keystone-wsgi-public";
const MODULES = "/usr/lib/apache2/modules";
/** Apache's user in Debian: its processes can't run as root, and read Keystone's keys. */
const OWNER = "www-data";

/** The conditions: those of Debian's configuration, in which nothing is cached between requests, with a process for each of two cores. */
function describePeer() {
  const format = ["--show", "--showformat=${Version}", "python3-keystone"];
  const { stdout } = spawnSync("dpkg-query", format, { encoding: "utf8" });
  return `peer: Keystone ${stdout.trim()}, Apache with mod_wsgi, 2 processes of 1 thread, PostgreSQL, Fernet tokens, bcrypt, no cache backend; hamkit: 1 process`;
}

/** Measures Keystone, if Debian's packages `keystone` and `libapache2-mod-wsgi-py3` and a PostgreSQL are there. */
export async function onKeystone(row, measure) {
  if (!isInstalled() || !existsSync(`${MODULES}/mod_wsgi.so`)) {
    row({ work: "Debian's Keystone is not installed: not measured", hamkit: 0 });
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "hamkit-keystone-bench-"));
  const database = await databaseOnPostgres();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  createKeystone(folder, database.url);
  appendFileSync(
    join(folder, "keystone.conf"),
    `[DEFAULT]\npublic_endpoint = ${url}/\nlog_file = ${join(folder, "keystone.log")}
[auth]\nmethods = password,token,application_credential\n`,
  );
  const child = serve(folder, port);
  try {
    await until(async () => {
      // At once, so that both processes have loaded Keystone.
      const answers = await Promise.all(Array.from({ length: 16 }, () => fetch(`${url}/v3`)));
      if (!answers.every(({ ok }) => ok)) throw new Error("Keystone is starting");
    }, child);
    row({ work: describePeer(), hamkit: "" });
    await measure("Keystone", { url });
  } catch (cause) {
    const logs = ["apache.log", "keystone.log"].map((name) => join(folder, name));
    const texts = logs.map((file) => (existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : ""));
    throw new Error(`Keystone: ${texts.join("\n")}`, { cause });
  } finally {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

function serve(folder, port) {
  const file = join(folder, "apache.conf");
  const modules = ["mpm_event", "authn_core", "authz_core", "wsgi"];
  const load = modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`);
  writeFileSync(
    file,
    `${load.join("\n")}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${join(folder, "apache.pid")}
ErrorLog ${join(folder, "apache.log")}
ServerName 127.0.0.1
MaxKeepAliveRequests 0
WSGISocketPrefix ${join(folder, "wsgi")}
WSGIDaemonProcess keystone processes=2 threads=1
WSGIProcessGroup keystone
WSGIApplicationGroup %{GLOBAL}
WSGIPassAuthorization On
WSGIScriptAlias / ${PROGRAM}
Listen 127.0.0.1:${port}
<Directory /usr/bin>
Require all granted
</Directory>
`,
  );
  spawnSync("chown", ["-R", `${OWNER}:${OWNER}`, folder]);
  const env = {
    ...process.env,
    HOME: folder,
    OS_KEYSTONE_CONFIG_FILES: join(folder, "keystone.conf"),
    PYTHONWARNINGS: "ignore",
  };
  const through = ["--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--", "/usr/sbin/apache2"];
  return spawn("setpriv", [...through, "-DFOREGROUND", "-f", file], { env, stdio: "ignore" });
}
