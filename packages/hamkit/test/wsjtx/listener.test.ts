import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

import { afterEach, describe, expect, it } from "vitest";

import {
  decodeDatagram,
  encodeDatagram,
  listenWsjtx,
  type Decode,
  type ListenWsjtxOptions,
  type OutgoingMessage,
  type ReceivedDatagram,
  type WsjtxListener,
} from "../../src/wsjtx.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(options: ListenWsjtxOptions = {}): Promise<WsjtxListener> {
  const listener = await listenWsjtx({ port: 0, ...options });
  cleanups.push(() => listener.close());
  return listener;
}

/** A program that sends datagrams, as WSJT-X does: over one socket at a port of its own. */
async function openProgram(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  cleanups.push(() => socket.close());
  return socket;
}

async function sendTo(
  { local }: WsjtxListener,
  socket: Socket,
  message: OutgoingMessage | Uint8Array,
  address = "127.0.0.1",
): Promise<void> {
  const bytes = message instanceof Uint8Array ? message : encodeDatagram(message);
  await new Promise<void>((resolve, reject) => {
    socket.send(bytes, local.port, address, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function take(listener: WsjtxListener, count: number): Promise<ReceivedDatagram[]> {
  const received: ReceivedDatagram[] = [];
  for await (const one of listener) {
    received.push(one);
    if (received.length === count) break;
  }
  return received;
}

const HEARTBEAT = { kind: "heartbeat", id: "WSJT-X", maxSchema: 3, version: "3.0.1", revision: "" } as const;
const DECODE: OutgoingMessage = {
  kind: "decode",
  id: "WSJT-X",
  new: true,
  timeMs: 43_200_000,
  snr: -10,
  deltaTime: 0.1,
  deltaFrequencyHz: 1000,
  mode: "~",
  message: "CQ K1ABC FN42                       ? a1",
  lowConfidence: true,
  offAir: false,
};

describe("listenWsjtx", () => {
  it("receives datagrams in their order, also unknown and damaged ones", async () => {
    const listener = await listen();
    const program = await openProgram();
    await sendTo(listener, program, HEARTBEAT);
    await sendTo(listener, program, Uint8Array.of(1, 2, 3));
    await sendTo(listener, program, DECODE);
    const received = await take(listener, 3);
    expect(received.map(({ datagram }) => datagram.kind)).toEqual(["heartbeat", "invalid", "decode"]);
    expect(received[0]?.sender).toEqual({ address: "127.0.0.1", port: program.address().port });
    expect(received[0]?.time.getTime()).toBeGreaterThan(Date.now() - 10_000);
    expect(listener.instances).toEqual(["WSJT-X"]);
    expect(listener.dropped).toBe(0);
  });

  it("keeps nothing of datagrams that are longer than any program's", async () => {
    const listener = await listen();
    const program = await openProgram();
    const long = encodeDatagram({ kind: "loggedAdif", id: "WSJT-X", adif: "x".repeat(8192) });
    await sendTo(listener, program, long);
    await sendTo(listener, program, HEARTBEAT);
    const [first, second] = await take(listener, 2);
    expect(first?.datagram).toEqual({ kind: "invalid", reason: "too long" });
    expect(second?.datagram.kind).toBe("heartbeat");
  });

  it("continues in the next loop", async () => {
    const listener = await listen();
    const program = await openProgram();
    await sendTo(listener, program, HEARTBEAT);
    expect(await take(listener, 1)).toHaveLength(1);
    await sendTo(listener, program, { kind: "close", id: "WSJT-X" });
    expect((await take(listener, 1))[0]?.datagram.kind).toBe("close");
  });

  it("replies to a decode with its members unchanged, at the address it came from, in the schema of the instance", async () => {
    const listener = await listen();
    const program = await openProgram();
    await sendTo(listener, program, HEARTBEAT);
    await sendTo(listener, program, DECODE);
    const decode = (await take(listener, 2))[1]?.datagram as Decode;
    const answer = once(program, "message");
    await listener.reply(decode, { modifiers: 2 });
    const [bytes] = (await answer) as [Uint8Array];
    const { kind: _kind, new: _new, offAir: _offAir, ...members } = DECODE as Decode;
    expect(decodeDatagram(bytes)).toEqual({ ...members, kind: "reply", schema: 3, type: 4, modifiers: 2 });
  });

  it("halts transmissions, highlights calls and sends other messages, in schema 2 before a heartbeat", async () => {
    const listener = await listen();
    const program = await openProgram();
    const heard: unknown[] = [];
    program.on("message", (bytes) => heard.push(decodeDatagram(bytes)));
    await sendTo(listener, program, DECODE);
    await take(listener, 1);
    const red = { a: 255, r: 255, g: 0, b: 0 };
    await listener.haltTx("WSJT-X");
    await listener.haltTx("WSJT-X", { autoTxOnly: true });
    await listener.highlight("WSJT-X", { callsign: "K1ABC", background: red });
    await listener.highlight("WSJT-X", { callsign: "CLEARALL!" });
    await listener.send({ kind: "freeText", id: "WSJT-X", text: "TNX 73", send: true });
    await expect.poll(() => heard.length).toBe(5);
    expect(heard).toEqual([
      { kind: "haltTx", schema: 2, type: 8, id: "WSJT-X", autoTxOnly: false },
      { kind: "haltTx", schema: 2, type: 8, id: "WSJT-X", autoTxOnly: true },
      expect.objectContaining({ callsign: "K1ABC", background: red, foreground: null, highlightLast: false }),
      expect.objectContaining({ callsign: "CLEARALL!", background: null, foreground: null }),
      { kind: "freeText", schema: 2, type: 9, id: "WSJT-X", text: "TNX 73", send: true },
    ]);
  });

  it("sends to the instance that the message names, where several share the port", async () => {
    const listener = await listen();
    const [first, second] = [await openProgram(), await openProgram()];
    await sendTo(listener, first, { kind: "heartbeat", id: "WSJT-X - A" });
    await sendTo(listener, second, { kind: "heartbeat", id: "JTDX" });
    await take(listener, 2);
    const answers = Promise.all([once(first, "message"), once(second, "message")]);
    await listener.haltTx("JTDX");
    await listener.haltTx("WSJT-X - A");
    const ids = (await answers)
      .map(([bytes]) => decodeDatagram(bytes as Uint8Array))
      .map((one) => "id" in one && one.id);
    expect(ids).toEqual(["WSJT-X - A", "JTDX"]);
  });

  it("rejects messages to an instance that was not heard", async () => {
    const listener = await listen();
    await expect(listener.haltTx("MSHV")).rejects.toThrow(
      'id: "MSHV" is not an instance that was heard (none so far)',
    );
  });

  it("shares a multicast group with other listeners", async () => {
    const group = "239.255.0.1";
    const first = await listen({ group, networkInterface: "127.0.0.1" });
    const second = await listen({ group, networkInterface: "127.0.0.1", port: first.local.port });
    const program = await openProgram();
    program.setMulticastInterface("127.0.0.1");
    await sendTo(first, program, HEARTBEAT, group);
    for (const listener of [first, second]) {
      const [received] = await take(listener, 1);
      expect(received?.datagram).toMatchObject({ kind: "heartbeat", id: "WSJT-X" });
    }
    const answer = once(program, "message");
    await second.haltTx("WSJT-X");
    expect(decodeDatagram((await answer)[0] as Uint8Array)).toMatchObject({ kind: "haltTx", schema: 3 });
  });

  it("joins a group on all interfaces, the loopback interface included", async () => {
    const listener = await listen({ group: "239.255.0.2" });
    const program = await openProgram();
    program.setMulticastInterface("127.0.0.1");
    await sendTo(listener, program, HEARTBEAT, "239.255.0.2");
    expect((await take(listener, 1))[0]?.datagram.kind).toBe("heartbeat");
  });

  it("explains that a port can't be shared without a group", async () => {
    const first = await listen();
    await expect(listen({ port: first.local.port })).rejects.toThrow(
      expect.objectContaining({
        code: "io/failed",
        message: expect.stringContaining("several programs can share a multicast group only") as string,
      }),
    );
  });

  it("drops the oldest datagrams of a slow reader, and counts them", async () => {
    const listener = await listen({ maxQueued: 2 });
    const program = await openProgram();
    for (const snr of [-1, -2, -3, -4, -5]) await sendTo(listener, program, { ...DECODE, snr });
    await expect.poll(() => listener.dropped).toBe(3);
    const kept = (await take(listener, 2)).map(({ datagram }) => (datagram as Decode).snr);
    expect(kept).toEqual([-4, -5]);
  });

  it("ends with the signal, a waiting reader included, and sends nothing afterwards", async () => {
    const abort = new AbortController();
    const listener = await listen({ signal: abort.signal });
    const program = await openProgram();
    await sendTo(listener, program, HEARTBEAT);
    await take(listener, 1);
    const rest = take(listener, 1);
    abort.abort();
    expect(await rest).toEqual([]);
    await listener.close();
    await expect(listener.haltTx("WSJT-X")).rejects.toThrow(/the socket is closed$/);
    await expect(listenWsjtx({ signal: abort.signal })).rejects.toThrow(/abort/i);
  });

  it("receives the decodes of a busy band, period after period", async () => {
    const listener = await listen();
    const program = await openProgram();
    for (let period = 0; period < 50; period++) {
      await Promise.all(Array.from({ length: 60 }, () => sendTo(listener, program, DECODE)));
      expect(await take(listener, 60)).toHaveLength(60);
    }
    expect(listener.dropped).toBe(0);
  });

  it.each([
    [{ port: 70_000 }, "port"],
    [{ port: "2237" as unknown as number }, "port"],
    [{ maxQueued: 0 }, "maxQueued"],
    [{ group: "192.168.1.1" }, "group"],
    [{ group: "224.0.0.1", address: "127.0.0.1" }, "address"],
  ])("rejects %j", async (options, argument) => {
    await expect(listenWsjtx(options)).rejects.toThrow(expect.objectContaining({ argument }));
  });
});
