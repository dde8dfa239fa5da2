/**
 * Machines as they come from Debian's installer, on which the commands of a guide are run: each has a network of its own, and its own
 * `/etc`, `/opt`, `/root`, `/run`, `/usr/local/sbin`, `/var/lib` and `/var/log`. `bin/` has what stands for systemd, apt and SSH.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { runProgram } from "../../run-program.js";
import { startMachines, type Machine } from "../cluster/machines.js";

const PROGRAMS = fileURLToPath(new URL("./bin", import.meta.url));
const OWN_FOLDERS = ["etc", "opt", "root", "usr/local/sbin", "var/lib", "var/log"];

/** Fills them: of packages there is what their installation leaves, without a PostgreSQL server. */
const FILL = `
cp -a /etc/. "$1/etc"
rm -rf "$1/etc/postgresql/"*
for user in postgres etcd haproxy; do
  install -d -o $user -g $user "$1$(getent passwd $user | cut -d: -f6)"
done
mkdir "$1/var/lib/dpkg"
`;

/** Has the folders of a machine in their places, for as long as the process lives. */
const HOLD = `
mount --make-rprivate /
mount --bind -o ro /var/lib/dpkg "$1/var/lib/dpkg"
for pair in $2; do
  mkdir -p "$1\${pair#*=}"
  mount --bind -o ro "\${pair%%=*}" "$1\${pair#*=}"
done
for folder in ${OWN_FOLDERS.join(" ")}; do mount --rbind "$1/$folder" "/$folder"; done
mount -t tmpfs tmpfs /run
install -d -o postgres -g postgres /run/postgresql
echo ready
exec sleep infinity
`;

export interface CleanMachine {
  readonly name: string;
  readonly address: string;
  /** Runs commands as root. @returns What they print. @throws One fails. */
  type(commands: string): Promise<string>;
  /** The text of one of its files. */
  read(path: string): string;
  /** Kills all of its processes. */
  cutPower(): void;
  /** Starts the units that are enabled, as after a power cut. */
  boot(): Promise<void>;
  pullCable(): void;
  plugCable(): void;
  /** Kills processes of these programs. */
  kill(...programs: readonly string[]): void;
}

export interface CleanMachines {
  readonly all: readonly CleanMachine[];
  /** What the addresses begin with, such as `10.101.7.`. */
  readonly network: string;
  remove(): void;
}

export interface MachineOptions {
  readonly names: readonly string[];
  /** Folders of this computer, by the place where the machines have them. They can't write there. */
  readonly folders: Readonly<Record<string, string>>;
  /** Of machines, by host name. */
  readonly hosts: Readonly<Record<string, string>>;
}

/** Starts machines with the addresses 1, 2 and so on. @throws Namespaces or mounts are not permitted here. */
export async function startCleanMachines({ names, folders, hosts }: MachineOptions): Promise<CleanMachines> {
  const machines = startMachines(names.length);
  const holders: ChildProcess[] = [];
  const remove = () => {
    machines.remove();
    for (const holder of holders) holder.kill("SIGKILL");
  };
  try {
    const network = machines.all[0]?.address.replace(/\d+$/, "") ?? "";
    const all = [];
    for (const [at, machine] of machines.all.entries()) {
      const folder = join(machines.folder, machine.address);
      createFolders(folder);
      for (const [name, host] of Object.entries(hosts))
        appendFileSync(join(folder, "etc/hosts"), `${network}${host} ${name}\n`);
      const holder = await holdFolders(folder, folders);
      holders.push(holder);
      all.push(createCleanMachine(machine, { name: names[at] ?? "", folder, holder, all: machines.folder }));
    }
    return { all, network, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function createFolders(folder: string): void {
  for (const each of OWN_FOLDERS) mkdirSync(join(folder, each), { recursive: true });
  cpSync(PROGRAMS, join(folder, "usr/local/sbin"), { recursive: true });
  runNow("sh", "-euc", FILL, "sh", folder);
}

function holdFolders(folder: string, folders: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const pairs = Object.entries(folders).map(([place, source]) => `${source}=${place}`);
  const holder = spawn(
    "setpriv",
    ["--pdeathsig=KILL", "--", "unshare", "--mount", "sh", "-euc", HOLD, "sh", folder, pairs.join(" ")],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  return new Promise((resolve, reject) => {
    let errors = "";
    holder.stderr.on("data", (data: Buffer) => (errors += data.toString()));
    holder.stdout.once("data", () => resolve(holder));
    holder.once("exit", () => reject(new Error(`the folders of a machine: ${errors}`)));
  });
}

interface MachineParts {
  readonly name: string;
  readonly folder: string;
  readonly holder: ChildProcess;
  /** The folder of all machines. */
  readonly all: string;
}

function createCleanMachine(machine: Machine, { name, folder, holder, all }: MachineParts): CleanMachine {
  const inside = [
    "nsenter",
    `--mount=/proc/${holder.pid}/ns/mnt`,
    `--net=/run/netns/${machine.namespace}`,
    "--",
  ];
  const env = {
    PATH: "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    TEST_MACHINES: all,
    TEST_NODE: process.execPath,
  };
  const type = async (commands: string) => {
    const { exit, output, errors } = await runProgram(
      [...inside, "/bin/bash", "--norc", "-euo", "pipefail", "-c", `cd /root\n${commands}`],
      { env },
    );
    if (exit !== 0) throw new Error(`${name}: ${exit}\n${commands}\n${output}${errors}`);
    return output;
  };
  return {
    name,
    address: machine.address,
    type,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    cutPower: () => machine.kill(),
    async boot() {
      await type("rm -rf /run/units /run/postgresql/.s.*");
      await type("systemctl start $(cat /etc/enabled-units)");
    },
    pullCable: () => machine.pullCable(),
    plugCable: () => machine.plugCable(),
    kill: (...programs) => machine.kill(...programs),
  };
}

function runNow(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}
