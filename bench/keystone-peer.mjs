/** Debian's Keystone as the peer of a benchmark: two processes behind Apache, on PostgreSQL, on this machine in the same run. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseOnPostgres, freePort, PASSWORD, until } from "./identity-service.mjs";

const PROGRAM = "/usr/bin/keystone-wsgi-public";
const NEEDED = [PROGRAM, "/usr/bin/keystone-manage", "/usr/lib/apache2/modules/mod_wsgi.so"];

/** Measures Keystone, if Debian's packages `keystone` and `libapache2-mod-wsgi-py3` and a PostgreSQL are there. */
export async function onKeystone(row, measure) {
  if (!isInstalled()) {
    row({ work: "Debian's Keystone is not installed: not measured", hamkit: 0 });
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "hamkit-keystone-bench-"));
  const database = await databaseOnPostgres();
  const port = await freePort();
  const conf = createKeystone(folder, { url: database.url, port });
  const url = `http://127.0.0.1:${port}`;
  const child = serve(conf, port, folder);
  try {
    await until(() => fetch(`${url}/v3`), child);
    await measure("Keystone", { url });
  } catch (cause) {
    throw new Error(`Keystone: ${readFileSync(join(folder, "log"), "utf8").slice(-2000)}`, { cause });
  } finally {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const isInstalled = () => NEEDED.every((path) => existsSync(path));

/** Creates the database and the keys of a Keystone. @returns The path of its configuration file. */
export function createKeystone(folder, { url, port }) {
  const conf = join(folder, "keystone.conf");
  // Without `%`, which Keystone's migrations would read as a placeholder.
  const href = url
    .replace(/^postgres:/, "postgresql+psycopg2:")
    .replaceAll("%20", "")
    .replaceAll("%3D", "=");
  writeFileSync(
    conf,
    `[DEFAULT]
public_endpoint = http://127.0.0.1:${port}/
log_file = ${join(folder, "log")}
[database]
connection = ${href}
[fernet_tokens]
key_repository = ${join(folder, "fernet-keys")}
[fernet_receipts]
key_repository = ${join(folder, "fernet-keys")}
[credential]
key_repository = ${join(folder, "credential-keys")}
[auth]
methods = password,token,application_credential
`,
  );
  for (const keys of ["fernet-keys", "credential-keys"]) mkdirSync(join(folder, keys), { mode: 0o700 });
  const owner = ["--keystone-user", "root", "--keystone-group", "root"];
  manage(conf, ["db_sync"]);
  manage(conf, ["fernet_setup", ...owner]);
  manage(conf, ["credential_setup", ...owner]);
  manage(conf, ["bootstrap", "--bootstrap-password", PASSWORD]);
  return conf;
}

function manage(conf, words) {
  const { status, stderr } = spawnSync("keystone-manage", ["--config-file", conf, ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`keystone-manage ${words[0]}: ${stderr}`);
}

/** As Debian's package serves it: mod_wsgi of Apache. */
function serve(conf, port, folder) {
  const file = join(folder, "apache.conf");
  const modules = ["mpm_event", "authn_core", "authz_core", "wsgi"];
  const load = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  writeFileSync(
    file,
    `${load.join("\n")}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${join(folder, "apache.pid")}
ErrorLog ${join(folder, "log")}
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
  const env = { ...process.env, OS_KEYSTONE_CONFIG_FILES: conf, OS_KEYSTONE_CONFIG_DIR: folder };
  return spawn("apache2", ["-f", file, "-D", "FOREGROUND"], { env, stdio: "ignore" });
}
