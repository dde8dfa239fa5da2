/** Debian's Samba as an Active Directory domain controller with LDAP alone, at an address of its own: its ports are fixed. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Of the administrator. */
const ADMIN_PASSWORD = "Adm1n-Pw!Lab";
export const SUFFIX = "DC=ad,DC=lab,DC=example";
export const ADMIN_DN = `CN=Administrator,CN=Users,${SUFFIX}`;

export interface SambaServer {
  /** `ldap://ADDRESS` */
  readonly url: string;
  readonly tlsUrl: string;
  /** The certificate of its authority, in PEM. */
  readonly caFile: string;
  /** Runs `samba-tool` on its database. */
  tool(...args: readonly string[]): string;
  /** Changes entries, given as LDIF with `changetype`, over LDAP. */
  modify(ldif: string): void;
  /** The value of an attribute, as `ldbsearch` prints it: a GUID as text. */
  valueOf(account: string, attribute: string): string;
  remove(): Promise<void>;
}

export async function startSamba(): Promise<SambaServer> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-samba-"));
  const address = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(2, 255)}`;
  const place = [`--targetdir=${join(folder, "dc")}`, "--host-name=labdc", `--host-ip=${address}`];
  const only = [`--option=interfaces=${address}/8`, "--option=bind interfaces only=yes"];
  const domain = ["--realm=AD.LAB.EXAMPLE", "--domain=ADLAB", "--server-role=dc", "--dns-backend=NONE"];
  run("samba-tool", [
    "domain",
    "provision",
    "--use-rfc2307",
    `--adminpass=${ADMIN_PASSWORD}`,
    ...domain,
    ...place,
    ...only,
  ]);
  const configuration = join(folder, "dc/etc/smb.conf");
  const settings = [
    `interfaces = ${address}/8`,
    "bind interfaces only = yes",
    // Simple binds without TLS, for tests on one machine.
    "ldap server require strong auth = no",
    `pid directory = ${folder}`,
    `ncalrpc dir = ${join(folder, "ncalrpc")}`,
    "disable netbios = yes",
    "server services = ldap",
    `log file = ${join(folder, "log.%m")}`,
  ];
  const written = readFileSync(configuration, "utf8")
    .split("\n")
    .filter((line) => !/^\s*(?:server services|log file|interfaces|bind interfaces only)\s*=/.test(line))
    .map((line) =>
      line.trim() === "[global]" ? ["[global]", ...settings.map((each) => `\t${each}`)].join("\n") : line,
    );
  writeFileSync(configuration, written.join("\n"));

  const child: ChildProcess = spawn("samba", ["-s", configuration, "-i", "-M", "single"], {
    stdio: "ignore",
  });
  const url = `ldap://${address}`;
  for (let tries = 0; ; tries++) {
    const { stdout } = spawnSync(
      "ldapsearch",
      ["-x", "-H", url, "-b", "", "-s", "base", "defaultNamingContext"],
      { encoding: "utf8" },
    );
    if (stdout.includes("DC=")) break;
    if (tries > 300 || child.exitCode !== null) throw new Error("samba does not start");
    await delay(100);
  }
  const data = join(folder, "dc/private/sam.ldb");
  return {
    url,
    tlsUrl: `ldaps://${address}`,
    caFile: join(folder, "dc/private/tls/ca.pem"),
    tool: (...args) => run("samba-tool", [...args, "-s", configuration, "-H", data]),
    modify: (ldif) => void run("ldapmodify", ["-x", "-H", url, "-D", ADMIN_DN, "-w", ADMIN_PASSWORD], ldif),
    valueOf(account, attribute) {
      const shown = run("samba-tool", [
        "user",
        "show",
        account,
        `--attributes=${attribute}`,
        "-s",
        configuration,
        "-H",
        data,
      ]);
      return new RegExp(`^${attribute}: (.*)$`, "m").exec(shown)?.[1] ?? "";
    },
    async remove() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function run(program: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(" ")}: ${stderr}`);
  return stdout;
}
