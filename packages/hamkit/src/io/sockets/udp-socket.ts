/** UDP sockets, unicast and multicast, with IOError for failures. */
import { IOError } from "../../errors.js";
import { nodeModule, type DatagramSocket } from "../node-modules.js";

/** Address and port of a program. */
export interface UdpEndpoint {
  readonly address: string;
  readonly port: number;
}

export interface UdpOptions {
  /** The port to receive at; 0 for any free one. */
  readonly port: number;
  /** The local address to receive at; without meaning for multicast. */
  readonly address: string;
  /** The multicast group to join. */
  readonly group?: string | undefined;
  /** The local address of the network interface for the group; default: all of them. */
  readonly networkInterface?: string | undefined;
  readonly onPacket: (bytes: Uint8Array, sender: UdpEndpoint) => void;
  /** Called at most once; the socket is closed then. */
  readonly onFailure: (failure: IOError) => void;
}

/** An open socket. */
export interface UdpSocket {
  readonly local: UdpEndpoint;
  /** @throws {IOError} The bytes can't be sent, or the socket is closed. */
  send(bytes: Uint8Array, to: UdpEndpoint): Promise<void>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens a socket.
 *
 * @throws {IOError} The port is in use, the address is not one of this computer, or the group can't be joined.
 */
export async function openUdpSocket(options: UdpOptions): Promise<UdpSocket> {
  const { port, group, onPacket, onFailure } = options;
  // Only a group's packets reach all of its sockets. Of several sockets at one address, the last would take them all.
  const address = group === undefined ? options.address : anyAddress(group);
  const name = `udp://${options.group ?? options.address}:${port}`;
  const socket = nodeModule("node:dgram").createSocket({
    type: isIpv6(address) ? "udp6" : "udp4",
    reuseAddr: group !== undefined,
  });
  try {
    await bind(socket, port, address);
    if (group !== undefined) joinGroup(socket, group, options.networkInterface);
  } catch (cause) {
    socket.close();
    throw new IOError(name, openingFailure(cause, group), { cause });
  }

  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await new Promise<void>((resolve) => {
      socket.close(resolve);
    });
  };
  socket.on("message", (bytes, { address: from, port: fromPort }) =>
    onPacket(bytes, { address: from, port: fromPort }),
  );
  socket.on("error", (cause) => {
    void close();
    onFailure(new IOError(name, cause.message, { cause }));
  });
  return {
    local: { address: socket.address().address, port: socket.address().port },
    close,
    async send(bytes, to) {
      if (!isOpen) throw new IOError(name, "the socket is closed");
      await new Promise<void>((resolve, reject) => {
        socket.send(bytes, to.port, to.address, (cause) => {
          if (cause === null) resolve();
          else reject(new IOError(`udp://${to.address}:${to.port}`, cause.message, { cause }));
        });
      });
    },
  };
}

function bind(socket: DatagramSocket, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

/** Joins the group on one interface, or on all that accept it: senders often use the loopback interface only. */
function joinGroup(socket: DatagramSocket, group: string, networkInterface: string | undefined): void {
  if (networkInterface !== undefined) {
    socket.addMembership(group, networkInterface);
    return;
  }
  let failure: unknown = new Error("the computer has no network interface for it");
  let isMember = false;
  for (const local of localInterfaces(isIpv6(group))) {
    try {
      socket.addMembership(group, local);
      isMember = true;
    } catch (cause) {
      failure = cause;
    }
  }
  if (!isMember) throw failure;
}

/** The addresses of the interfaces; for IPv6, as Node expects them, with the interface's name. */
function localInterfaces(ipv6: boolean): string[] {
  const all = Object.entries(nodeModule("node:os").networkInterfaces());
  return all.flatMap(([name, addresses = []]) => {
    const local = addresses.find(({ family }) => family === (ipv6 ? "IPv6" : "IPv4"));
    if (local === undefined) return [];
    return ipv6 ? [`::%${name}`] : [local.address];
  });
}

function anyAddress(group: string): string {
  return isIpv6(group) ? "::" : "0.0.0.0";
}

function isIpv6(address: string): boolean {
  return address.includes(":");
}

function openingFailure(cause: unknown, group: string | undefined): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isInUse = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  return isInUse && group === undefined
    ? `${message}: another program receives at this port; several programs can share a multicast group only`
    : message;
}
