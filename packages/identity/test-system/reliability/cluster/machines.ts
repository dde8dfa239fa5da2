/** Machines of a test: network namespaces on a bridge, each with an address, whose cable can be pulled. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "hkc";

export interface Machine {
  /** Of its network namespace. */
  readonly namespace: string;
  readonly address: string;
  /** Starts a program there, as the user of PostgreSQL. It ends with this process. */
  start(program: string, args: readonly string[]): ChildProcess;
  /** Runs a program to its end. @throws It fails. */
  run(program: string, args: readonly string[]): void;
  /** Kills the processes of these programs, or all of them, as a power cut does. */
  kill(...programs: readonly string[]): void;
  /** Stops the processes whose title has this text; their connections stay. */
  freeze(title: string): void;
  /** From now on no packet comes or goes. */
  pullCable(): void;
  plugCable(): void;
}

export interface Machines {
  readonly all: readonly Machine[];
  /** For their disks, owned by the user of PostgreSQL. */
  readonly folder: string;
  /** Kills all processes, and removes network and folder. */
  remove(): void;
}

/** @param count At most 250. @throws Namespaces can't be made here. */
export function startMachines(count: number): Machines {
  removeLeftovers();
  const id = `${PREFIX}${process.pid}`;
  const net = `10.${100 + ((process.pid >> 8) % 100)}.${process.pid & 255}`;
  const names: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "hamkit-machines-"));
  chownSync(folder, statSync("/var/lib/postgresql").uid, -1);
  const remove = () => {
    process.off("exit", remove);
    for (const name of names) removeNamespace(name);
    attempt(`ip link del ${id}`);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  removeAfterDeath(id, folder);
  try {
    ip(`link add ${id} type bridge`);
    ip(`addr add ${net}.254/24 dev ${id}`);
    ip(`link set ${id} up`);
    const all = Array.from({ length: count }, (_, at) => {
      const name = `${id}n${at + 1}`;
      names.push(name);
      return createMachine({ name, bridge: id, cable: `${id}v${at + 1}`, address: `${net}.${at + 1}` });
    });
    return { all, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

interface NewMachine {
  readonly name: string;
  readonly bridge: string;
  /** The end of the cable at the bridge. */
  readonly cable: string;
  readonly address: string;
}

function createMachine({ name, bridge, cable, address }: NewMachine): Machine {
  ip(`netns add ${name}`);
  ip(`link add ${cable} type veth peer name eth0 netns ${name}`);
  ip(`link set ${cable} master ${bridge} up`);
  ip(`-n ${name} addr add ${address}/24 dev eth0`);
  ip(`-n ${name} link set eth0 up`);
  ip(`-n ${name} link set lo up`);
  const command = (program: string, args: readonly string[]): [string, string[]] => [
    "ip",
    ["netns", "exec", name, ...AS_POSTGRES, program, ...args],
  ];
  return {
    namespace: name,
    address,
    start: (program, args) => spawn(...command(program, args), { stdio: ["ignore", "pipe", "pipe"] }),
    run(program, args) {
      const { status, stderr } = spawnSync(...command(program, args), { encoding: "utf8" });
      if (status !== 0) throw new Error(`${program}: ${stderr}`);
    },
    kill: (...programs) => killIn(name, programs),
    freeze(title) {
      for (const pid of pidsIn(name))
        if (readText(`/proc/${pid}/cmdline`).includes(title)) send(pid, "SIGSTOP");
    },
    // The address resolution of its neighbors times out, as for a machine that is gone.
    pullCable: () => ip(`link set ${cable} nomaster`),
    plugCable: () => ip(`link set ${cable} master ${bridge}`),
  };
}

const AS_POSTGRES = [
  "setpriv",
  "--reuid=postgres",
  "--regid=postgres",
  "--init-groups",
  "--pdeathsig=KILL",
  "--",
];

function killIn(name: string, programs: readonly string[]): void {
  for (const pid of pidsIn(name)) {
    const program = readText(`/proc/${pid}/comm`).trim();
    if (programs.length === 0 || programs.includes(program)) send(pid, "SIGKILL");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function pidsIn(name: string): number[] {
  const { stdout } = spawnSync("ip", ["netns", "pids", name], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

/** Empty if the process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function removeNamespace(name: string): void {
  // A process may start another one before it is killed.
  for (let round = 0; round < 20 && pidsIn(name).length > 0; round++) killIn(name, []);
  attempt(`ip netns del ${name}`);
  // The kernel takes it away later, with the last socket of the namespace.
  attempt(`ip link del ${name.replace(/n(\d+)$/, "v$1")}`);
}

/**
 * Has another process remove everything when this one is gone, also if it was killed. By then there is usually nothing left.
 *
 * @param id What the names of namespaces begin with, and the bridge.
 */
function removeAfterDeath(id: string, folder: string): void {
  const watcher = spawn("sh", ["-c", REMOVE_AFTER_DEATH, "sh", String(process.pid), id, folder], {
    detached: true,
    stdio: "ignore",
  });
  watcher.unref();
}

const REMOVE_AFTER_DEATH = `
while kill -0 "$1" 2>/dev/null; do sleep 1; done
for name in $(ip netns list | grep -o "^$2n[0-9]*"); do
  for round in 1 2 3 4 5; do ip netns pids "$name" | xargs -r kill -KILL; done
  ip netns del "$name"
  ip link del "$2v\${name#$2n}"
done
ip link del "$2"
rm -rf "$3"
`;

/** Removes what a killed test process has left. */
function removeLeftovers(): void {
  const { stdout } = spawnSync("ip", ["netns", "list"], { encoding: "utf8" });
  for (const [name, pid = ""] of stdout.matchAll(new RegExp(`^${PREFIX}(\\d+)n\\d+`, "gm"))) {
    if (existsSync(`/proc/${pid}`)) continue;
    removeNamespace(name);
    attempt(`ip link del ${PREFIX}${pid}`);
  }
}

function ip(args: string): void {
  const { status, stderr } = spawnSync("ip", args.split(" "), { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args}: ${stderr}`);
}

function attempt(command: string): void {
  const [program = "", ...args] = command.split(" ");
  spawnSync(program, args);
}
