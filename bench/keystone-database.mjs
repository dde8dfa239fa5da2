/** The database and the keys of a Keystone, as Debian's package creates them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PASSWORD } from "./identity-service.mjs";

const PROGRAM = "/usr/bin/keystone-manage";

export const isInstalled = () => existsSync(PROGRAM);

/** Creates the tables, the keys and the first resources. */
export function createKeystone(folder, url) {
  const conf = createTables(folder, url);
  for (const keys of new Set(Object.values(FOLDERS))) mkdirSync(join(folder, keys), { mode: 0o700 });
  const owner = ["--keystone-user", "root", "--keystone-group", "root"];
  manage(conf, ["fernet_setup", ...owner]);
  manage(conf, ["credential_setup", ...owner]);
  manage(conf, ["bootstrap", "--bootstrap-password", PASSWORD]);
}

/** Of keys, by the section of keystone.conf. */
const FOLDERS = {
  fernet_tokens: "fernet-keys",
  fernet_receipts: "fernet-keys",
  credential: "credential-keys",
};

/** Creates the tables alone. @returns The path of `keystone.conf`. */
export function createTables(folder, url) {
  const conf = join(folder, "keystone.conf");
  // Without `%`, which Keystone's migrations would read as a placeholder.
  const connection = url
    .replace(/^postgres:/, "postgresql+psycopg2:")
    .replaceAll("%20", "")
    .replaceAll("%3D", "=");
  const repositories = Object.entries(FOLDERS).map(
    ([section, keys]) => `[${section}]\nkey_repository = ${join(folder, keys)}\n`,
  );
  writeFileSync(conf, `[database]\nconnection = ${connection}\n${repositories.join("")}`);
  manage(conf, ["db_sync"]);
  return conf;
}

function manage(conf, words) {
  const { status, stderr } = spawnSync(PROGRAM, ["--config-file", conf, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(`keystone-manage ${words[0]}: ${stderr}`);
}
