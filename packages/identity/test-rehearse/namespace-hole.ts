/** A network that can lose packets: PostgreSQL behind a network namespace. */
import { spawn, spawnSync } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";

export interface LossyNetwork {
  /** The same address, through the namespace. */
  readonly url: string;
  /** From now on nothing comes back from the namespace: no answer, no reset. */
  lose(): void;
  /** Packets arrive again; TCP goes on where it was, when it tries again. */
  restore(): void;
  remove(): void;
}

/** Forwards each connection that it gets to another address, for a process of its own. */
const FORWARDER = `
const { connect, createServer } = require("node:net");
const [host, port] = process.argv.slice(1);
createServer((client) => {
  const server = connect(Number(port), host);
  client.on("error", () => server.destroy()).pipe(server);
  server.on("error", () => client.destroy()).pipe(client);
}).listen(5432, "0.0.0.0", () => console.log("ready"));
`;

/** @param url PostgreSQL on the loopback interface. @throws Namespaces can't be made here. */
export async function startLossyNetwork(url: string): Promise<LossyNetwork> {
  const { port } = new URL(url);
  const id = process.pid % 10_000;
  const name = `hole${id}`;
  const inner = `ip netns exec ${name} `;
  const [near, far] = [`10.213.${id % 250}.1`, `10.213.${id % 250}.2`];
  run(`ip netns add ${name}`);
  run(`ip link add ${name}a type veth peer name ${name}b netns ${name}`);
  run(`ip addr add ${near}/30 dev ${name}a`);
  run(`ip link set ${name}a up`);
  run(`${inner}ip addr add ${far}/30 dev ${name}b`);
  run(`${inner}ip link set ${name}b up`);
  // From the namespace to PostgreSQL, over a second way that does not get lost.
  const [nearBack, farBack] = [`10.214.${id % 250}.1`, `10.214.${id % 250}.2`];
  run(`ip link add ${name}c type veth peer name ${name}d netns ${name}`);
  run(`ip addr add ${nearBack}/30 dev ${name}c`);
  run(`ip link set ${name}c up`);
  run(`${inner}ip addr add ${farBack}/30 dev ${name}d`);
  run(`${inner}ip link set ${name}d up`);

  const sockets: Socket[] = [];
  const back = createServer((client) => {
    const server = connect(Number(port), "127.0.0.1");
    sockets.push(client, server);
    client.on("error", () => server.destroy()).pipe(server);
    server.on("error", () => client.destroy()).pipe(client);
  });
  await new Promise<void>((resolve) => {
    back.listen(0, nearBack, resolve);
  });
  const { port: backPort } = back.address() as { readonly port: number };
  const forwarder = spawn("ip", [
    "netns",
    "exec",
    name,
    process.execPath,
    "-e",
    FORWARDER,
    nearBack,
    String(backPort),
  ]);
  await new Promise<void>((resolve, reject) => {
    forwarder.stdout.once("data", () => resolve());
    forwarder.once("exit", () => reject(new Error("the forwarder did not start")));
  });
  return {
    url: url.replace(/@[^/]+\//, `@${far}:5432/`),
    lose: () => run(`${inner}ip route add blackhole ${near}/32`),
    restore: () => run(`${inner}ip route del blackhole ${near}/32`),
    remove() {
      forwarder.kill("SIGKILL");
      back.close();
      for (const socket of sockets) socket.destroy();
      run(`ip netns del ${name}`);
    },
  };
}

function run(command: string): void {
  const [program = "", ...args] = command.split(" ");
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}
