/** Debian's slapd with a small directory, on ports of its own. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { makeCertificate, type Certificate } from "../certificates.js";
import { freePort } from "../free-port.js";

export const SERVICE_DN = "cn=service,dc=test";
export const SERVICE_PASSWORD = "service-pw";
const ROOT_DN = "cn=root,dc=test";
const ROOT_PASSWORD = "root-pw";

export interface SlapdServer {
  /** `ldap://127.0.0.1:PORT` */
  readonly url: string;
  /** `ldaps://localhost:PORT` */
  readonly tlsUrl: string;
  /** Of the server, which signed itself. */
  readonly certificate: Certificate;
  /** Changes entries, given as LDIF with `changetype`. */
  modify(ldif: string): void;
  /** What it has logged so far: operations and their results. */
  log(): string;
  /** Stops answering, without closing connections. */
  hang(): void;
  goOn(): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const CONFIGURATION = (folder: string, { cert, key }: Certificate) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/slapd.pid
loglevel stats
TLSCertificateFile ${cert}
TLSCertificateKeyFile ${key}
sizelimit size.soft=500 size.hard=500 size.pr=200 size.prtotal=unlimited
database mdb
suffix dc=test
rootdn ${ROOT_DN}
rootpw ${ROOT_PASSWORD}
directory ${folder}/db
maxsize 134217728
dbnosync
index objectClass eq
index uid,cn eq,sub
index member eq
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SERVICE_DN}" read by anonymous auth by * none
limits dn.exact="${ROOT_DN}" size=unlimited
`;

/** @param ldif Entries below `dc=test`, which exists as the service's account does. */
export async function startSlapd(ldif: string): Promise<SlapdServer> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-slapd-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const certificate = makeCertificate({ folder, name: "localhost" });
  await mkdir(join(folder, "db"));
  await writeFile(join(folder, "slapd.conf"), CONFIGURATION(folder, certificate));
  await writeFile(join(folder, "entries.ldif"), `${BASE}\n${ldif}`);
  run("/usr/sbin/slapadd", [
    "-q",
    "-f",
    join(folder, "slapd.conf"),
    "-b",
    "dc=test",
    "-l",
    join(folder, "entries.ldif"),
  ]);
  const url = `ldap://127.0.0.1:${port}`;
  const tlsUrl = `ldaps://localhost:${tlsPort}`;
  let child: ChildProcess | undefined;
  let log = "";

  async function start(): Promise<void> {
    const args = ["-f", join(folder, "slapd.conf"), "-h", `${url} ${tlsUrl}`, "-d", "256"];
    child = spawn("/usr/sbin/slapd", args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
    for (let tries = 0; tries < 100; tries++) {
      const { status } = spawnSync("ldapsearch", ["-x", "-H", url, "-b", "", "-s", "base"]);
      if (status === 0) return;
      await delay(50);
    }
    throw new Error(`slapd did not start:\n${log}`);
  }

  async function stop(): Promise<void> {
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    child = undefined;
    await ended;
  }

  await start();
  return {
    url,
    tlsUrl,
    certificate,
    modify: (changes) => run("ldapmodify", ["-x", "-H", url, "-D", ROOT_DN, "-w", ROOT_PASSWORD], changes),
    log: () => log,
    hang: () => void child?.kill("SIGSTOP"),
    goOn: () => void child?.kill("SIGCONT"),
    stop,
    start,
    async remove() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const BASE = `dn: dc=test
objectClass: dcObject
objectClass: organization
dc: test
o: test

dn: ${SERVICE_DN}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: service
userPassword: ${SERVICE_PASSWORD}
`;

function run(program: string, args: readonly string[], input = ""): void {
  const { status, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}
