/** The instances of programs that were heard: where each is, and which schema it understands. */
import { ValueError } from "../errors.js";
import type { UdpEndpoint } from "../io/sockets/udp-socket.js";
import type { Datagram } from "./datagrams/datagram.js";

interface Instance {
  readonly endpoint: UdpEndpoint;
  readonly schema: number;
}

export interface Instances {
  /** Takes note of the sender of a datagram. */
  heard(datagram: Datagram, endpoint: UdpEndpoint): void;
  /** @throws {ValueError} No datagram of the instance was received. */
  find(id: unknown): Instance;
  ids(): readonly string[];
}

/** Anyone can send ids. */
const MAX_INSTANCES = 1000;

/** The highest schema of this implementation, and the one that every program understands. */
const MAX_SCHEMA = 3;
const MIN_SCHEMA = 2;

export function createInstances(): Instances {
  const instances = new Map<string, Instance>();
  return {
    heard(datagram, endpoint) {
      if (datagram.kind === "invalid" || datagram.id === null) return;
      const { id } = datagram;
      const schema =
        datagram.kind === "heartbeat"
          ? Math.max(MIN_SCHEMA, Math.min(datagram.maxSchema ?? MIN_SCHEMA, MAX_SCHEMA))
          : (instances.get(id)?.schema ?? MIN_SCHEMA);
      instances.delete(id); // the least recently heard one is the first
      instances.set(id, { endpoint, schema });
      const [oldest] = instances.keys();
      if (instances.size > MAX_INSTANCES && oldest !== undefined) instances.delete(oldest);
    },
    find(id) {
      const instance = typeof id === "string" ? instances.get(id) : undefined;
      if (instance !== undefined) return instance;
      const heard =
        instances.size === 0 ? "none so far" : Array.from(instances.keys()).slice(0, 5).join(", ");
      throw new ValueError({ argument: "id", value: id, expected: `an instance that was heard (${heard})` });
    },
    ids: () => [...instances.keys()],
  };
}
