/** Servers that answer otherwise than a directory should: slowly, with references, with garbage, or with too much. */
import { setTimeout as delay } from "node:timers/promises";
import { createServer, type Server, type Socket } from "node:net";

import asn1 from "asn1";
import { EqualityFilter } from "ldapts";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import {
  createLdapDirectory,
  type LdapConnectionSettings,
} from "../../src/directories/ldap/ldap-directory.js";

/** Operations of RFC 4511, as tags. */
const BIND = 0x60;
const BIND_RESPONSE = 0x61;
const SEARCH = 0x63;
const ENTRY = 0x64;
const SEARCH_DONE = 0x65;
const UNBIND = 0x42;

const CONNECT_MS = 100;

interface Request {
  readonly id: number;
  readonly operation: number;
}

type Answer = (request: Request, socket: Socket) => void;

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers each request so. */
async function serve(answer: Answer) {
  const requests: Request[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (let rest = data; rest.length > 0;) {
        const reader = new asn1.BerReader(rest);
        reader.readSequence();
        const end = reader.offset + reader.length;
        const id = reader.readInt() ?? 0;
        const request = { id, operation: reader.peek() ?? 0 };
        rest = rest.subarray(end);
        requests.push(request);
        if (request.operation !== UNBIND) answer(request, socket);
      }
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `ldap://127.0.0.1:${port}`, requests };
}

function message(id: number, tag: number, write: (writer: asn1.BerWriter) => void): Buffer {
  const writer = new asn1.BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(tag);
  write(writer);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

/** A result with this code, and a reference for the code 10. */
const result = ({ id }: Request, tag: number, code = 0, referral?: string): Buffer =>
  message(id, tag, (writer) => {
    writer.writeEnumeration(code);
    writer.writeString("");
    writer.writeString("");
    if (referral === undefined) return;
    writer.startSequence(0xa3);
    writer.writeString(referral);
    writer.endSequence();
  });

const entry = ({ id }: Request, attributes: Readonly<Record<string, string>>): Buffer =>
  message(id, ENTRY, (writer) => {
    writer.writeString("uid=alva,dc=test");
    writer.startSequence();
    for (const [name, value] of Object.entries(attributes)) {
      writer.startSequence();
      writer.writeString(name);
      writer.startSequence(0x31);
      writer.writeString(value);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
  });

const succeed: Answer = (request, socket) =>
  void socket.write(result(request, request.operation === BIND ? BIND_RESPONSE : SEARCH_DONE));

function directoryAt(url: string, settings: Partial<LdapConnectionSettings> = {}, now?: () => number) {
  const all = {
    urls: [url],
    isShuffled: false,
    user: "cn=service",
    password: "secret",
    usesStartTls: false,
    caFile: undefined,
    caFolder: undefined,
    verifiesCertificate: true,
    pageSize: 0,
    aliases: undefined,
    poolSize: 10,
    poolLifetimeMs: 60_000,
    connectTimeoutMs: CONNECT_MS,
    ...settings,
  };
  return createLdapDirectory(all, now);
}

const SEARCH_ALVA = {
  base: "dc=test",
  scope: "sub",
  filter: new EqualityFilter({ attribute: "uid", value: "alva" }),
  attributes: ["uid"],
} as const;

it("an empty password is sent to no server, though this one would accept it", async () => {
  const server = await serve(succeed);
  const directory = directoryAt(server.url);
  expect(await directory.bindAs("uid=alva,dc=test", "")).toMatchObject({ isAccepted: false });
  expect(server.requests).toEqual([]);
  expect(await directory.bindAs("uid=alva,dc=test", "x")).toEqual({ isAccepted: true });
});

it("an answer that comes byte by byte takes no longer than another one", async () => {
  const server = await serve((request, socket) => {
    const bytes = [...result(request, BIND_RESPONSE)];
    const timer = setInterval(() => {
      const byte = bytes.shift();
      if (byte === undefined || socket.destroyed) clearInterval(timer);
      else socket.write(Buffer.from([byte]));
    }, 30);
  });
  const start = performance.now();
  await expect(directoryAt(server.url).search(SEARCH_ALVA)).rejects.toThrow("unavailable");
  expect(performance.now() - start).toBeLessThan(2 * CONNECT_MS + 200);
  expect(server.requests.filter(({ operation }) => operation === SEARCH)).toEqual([]);
});

it("references to other servers are not followed: a bind is refused, a search fails", async () => {
  const other = await serve(succeed);
  const server = await serve((request, socket) => {
    const tag = request.operation === BIND ? BIND_RESPONSE : SEARCH_DONE;
    socket.write(result(request, tag, 10, `${other.url}/dc=test`));
  });
  const directory = directoryAt(server.url, { user: undefined });
  expect(await directory.bindAs("uid=alva,dc=test", "x")).toMatchObject({ isAccepted: false });
  await expect(directory.search(SEARCH_ALVA)).rejects.toThrow("unavailable");
  expect(other.requests).toEqual([]);
});

it("an entry of 10,000 attributes is read for those that were requested", async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, "v"]));
  const server = await serve((request, socket) => {
    if (request.operation === SEARCH) socket.write(entry(request, { ...many, UID: "alva" }));
    succeed(request, socket);
  });
  const [found] = await directoryAt(server.url).search(SEARCH_ALVA);
  expect(found?.valuesOf("uid")).toEqual(["alva"]);
});

const bindsOf = ({ requests }: Awaited<ReturnType<typeof serve>>) =>
  requests.filter(({ operation }) => operation === BIND).length;

it("a connection that was idle for a minute is used no more: a firewall may have dropped it", async () => {
  const server = await serve(succeed);
  let now = 0;
  const directory = directoryAt(server.url, { poolLifetimeMs: 600_000 }, () => now);
  const binds: number[] = [];
  for (const time of [0, 59_000, 118_000, 178_000]) {
    now = time;
    await directory.search(SEARCH_ALVA);
    binds.push(bindsOf(server));
  }
  expect(binds).toEqual([1, 1, 1, 2]);
});

it("a connection that answers no more takes the other idle ones with it", async () => {
  const mute = new Set<Socket>();
  const server = await serve((request, socket) => {
    if (!mute.has(socket)) setTimeout(() => succeed(request, socket), 10);
    else muted();
  });
  let muted = () => {};
  const isMuted = new Promise<void>((resolve) => (muted = resolve));
  const directory = directoryAt(server.url);
  await Promise.all([1, 2, 3].map(() => directory.search(SEARCH_ALVA)));
  expect(bindsOf(server)).toBe(3);
  for (const socket of sockets) mute.add(socket);
  // The time limit of a search ends at once.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const search = directory.search(SEARCH_ALVA);
  search.catch(() => {});
  await isMuted;
  vi.advanceTimersByTime(3000);
  vi.useRealTimers();
  await expect(search).rejects.toThrow("unavailable");
  await delay(50);
  await directory.search(SEARCH_ALVA);
  expect(bindsOf(server)).toBe(4);
});

it.each([
  ["text of another protocol", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["a length without an end", Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02])],
  ["a length of many bytes", Buffer.from([0x30, 0x89, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
  ["an unknown operation", message(1, 0x7e, (writer) => writer.writeInt(1))],
  ["a result cut off", Buffer.from([0x30, 0x05, 0x02, 0x01, 0x01, 0x61, 0x00])],
  [
    "a notice of disconnection",
    message(0, 0x78, (writer) => {
      writer.writeEnumeration(52);
      writer.writeString("");
      writer.writeString("");
    }),
  ],
])("garbage makes a directory unavailable, and nothing else: %s", async (_, bytes) => {
  const server = await serve((_request, socket) => void socket.write(bytes));
  await expect(directoryAt(server.url).search(SEARCH_ALVA)).rejects.toThrow("unavailable");
});
