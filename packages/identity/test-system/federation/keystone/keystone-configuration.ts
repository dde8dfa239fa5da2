/** The configuration files of a Keystone, completed around the parts that a guide shows. */
import { join } from "node:path";

export interface KeystonePlace {
  readonly folder: string;
  /** Of a PostgreSQL: in SQLite, Keystone locks itself out after a federated login. */
  readonly databaseUrl: string;
  /** Of Keystone. */
  readonly port: number;
  /** Second port of the same Apache, in front of another service. */
  readonly frontPort: number;
}

/** What a guide has its reader write into files of Keystone's machine. */
export interface KeystoneSettings {
  /** For `keystone.conf`. */
  readonly keystone: string;
  /** For Apache. */
  readonly apache: string;
  /** Apache's configuration for the second port, in front of another service. */
  readonly front: string;
}

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
  "auth_mellon",
  "wsgi",
];

export function keystoneConfiguration(
  { folder, databaseUrl, port }: KeystonePlace,
  settings: string,
): string {
  return `[DEFAULT]
public_endpoint = http://127.0.0.1:${port}/
log_file = ${join(folder, "keystone.log")}
[database]
connection = ${forSqlAlchemy(databaseUrl)}
[fernet_tokens]
key_repository = ${join(folder, "fernet-keys")}
[fernet_receipts]
key_repository = ${join(folder, "fernet-keys")}
[credential]
key_repository = ${join(folder, "credential-keys")}
${settings}`;
}

/** Without `%`, which Keystone's migrations would take for more than it is. */
function forSqlAlchemy(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = (url.searchParams.get("options") ?? "").replaceAll(" ", "");
  url.search = "";
  return `${url.href.replace(/^postgres:/, "postgresql+psycopg2:")}?options=${options}`;
}

export function apacheConfiguration(
  { folder, port, frontPort }: KeystonePlace,
  { apache, front }: KeystoneSettings,
): string {
  const modules = LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`);
  return `${modules.join("\n")}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${join(folder, "apache.pid")}
ErrorLog ${join(folder, "apache.log")}
StartServers 1
ServerLimit 2
ThreadsPerChild 8
MaxRequestWorkers 16
UseCanonicalName On
WSGISocketPrefix ${join(folder, "wsgi")}
WSGIDaemonProcess keystone processes=1 threads=2
WSGIApplicationGroup %{GLOBAL}
WSGIPassAuthorization On
WSGIImportScript /usr/bin/keystone-wsgi-public process-group=keystone application-group=%{GLOBAL}
Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
ServerName http://127.0.0.1:${port}
WSGIProcessGroup keystone
WSGIScriptAlias / /usr/bin/keystone-wsgi-public
<Directory /usr/bin>
Require all granted
</Directory>
${apache}
</VirtualHost>
Listen 127.0.0.1:${frontPort}
<VirtualHost 127.0.0.1:${frontPort}>
ServerName http://127.0.0.1:${frontPort}
${front}
</VirtualHost>
`;
}
