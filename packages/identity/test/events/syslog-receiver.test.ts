/** Syslog as a receiver of events: messages, framing, and when a server has them. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTls, Server as TlsServer } from "node:tls";

import { afterEach, describe, expect, it } from "vitest";

import type { PositionedEvent } from "../../src/events/event-store.js";
import { createSyslogReceiver, syslogMessage } from "../../src/events/receivers/syslog-receiver.js";
import { selfSignedCertificate } from "../../src/saml/self-signed-certificate.js";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const AT = Date.UTC(2026, 10, 28, 17, 4, 5, 678);
const event = (position: number, more: Partial<PositionedEvent> = {}): PositionedEvent => ({
  position,
  id: `event-${position}`,
  at: AT,
  event: { resource: "user", operation: "created", id: `u${position}` },
  ...more,
});

/** A server that keeps what it gets. @param onSocket What it does with a connection besides. */
async function listen(server: Server, onSocket: (socket: Socket) => void = () => {}) {
  let text = "";
  let connections = 0;
  const take = (socket: Socket) => {
    connections++;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    onSocket(socket);
  };
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", take);
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, text: () => text, connections: () => connections };
}

/** The messages of octet counting (RFC 6587, section 3.4.1). */
function messagesIn(text: string): string[] {
  const messages: string[] = [];
  for (let rest = text; rest !== "";) {
    const length = Number.parseInt(rest, 10);
    const from = String(length).length + 1;
    messages.push(rest.slice(from, from + length));
    rest = rest.slice(from + length);
  }
  return messages;
}

describe("syslog", () => {
  it("has events as messages of RFC 5424, in ASCII", () => {
    const member = { userId: "u1", operation: "added" } as const;
    const made = event(1, {
      event: { resource: "group", operation: "updated", id: "g1", member },
      initiator: {
        userId: "a",
        userName: "Zoë\n",
        address: "192.0.2.7",
        agent: undefined,
        requestId: "req-1",
      },
    });
    const [head, json] = syslogMessage(made, "node 1").split(/ (?=\{)/);
    expect(head).toBe(
      `<110>1 2026-11-28T17:04:05.678000Z node1 hamkit-identity ${process.pid} group.updated -`,
    );
    expect(json).toMatch(/^[ -~]+$/);
    expect(JSON.parse(json ?? "")).toMatchObject({
      id: "event-1",
      type: "identity.group.updated",
      member: { user_id: "u1" },
      initiator: { user_name: "Zoë\n" },
    });
    const failed = event(2, { event: { login: "password", outcome: "failure" } });
    expect(syslogMessage(failed, "")).toMatch(/^<108>1 \S+ - hamkit-identity \d+ authenticate - \{/);
    const tag = event(3, { event: { resource: "project tag", operation: "created", id: "blue" } });
    expect(syslogMessage(tag, "h")).toContain(" project_tag.created - {");
  });

  it("gets them in order over TCP, a connection for each batch", async () => {
    const server = await listen(createTcp());
    const receiver = createSyslogReceiver({ url: `tcp://localhost:${server.port}`, hostName: "h" });
    await receiver.send([event(1), event(2)]);
    await receiver.send(Array.from({ length: 200 }, (_, index) => event(index + 3)));
    const messages = messagesIn(server.text());
    expect(messages).toEqual(Array.from({ length: 202 }, (_, index) => syslogMessage(event(index + 1), "h")));
    expect(server.connections()).toBe(2);
  });

  it("has not got them where the server ends the connection before it has read them, or is not there", async () => {
    const server = await listen(createTcp(), (socket) => socket.end());
    const url = `tcp://localhost:${server.port}`;
    const many = Array.from({ length: 20_000 }, (_, index) => event(index));
    await expect(createSyslogReceiver({ url, hostName: "h" }).send(many)).rejects.toThrow(/./);
    const cut = await listen(createTcp(), (socket) => socket.once("data", () => socket.resetAndDestroy()));
    const other = `tcp://localhost:${cut.port}`;
    await expect(createSyslogReceiver({ url: other, hostName: "h" }).send([event(1)])).rejects.toThrow(/./);
    const none = { url: "tcp://localhost:1", hostName: "h" };
    await expect(createSyslogReceiver(none).send([event(1)])).rejects.toThrow("ECONNREFUSED");
  });

  it("is verified over TLS", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const folder = await mkdtemp(join(tmpdir(), "hamkit-syslog-"));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const pemOf = (commonName: string) => {
      const from = Date.now() - 60_000;
      const der = selfSignedCertificate(privateKey, { commonName, from, until: from + 3_600_000 });
      const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
      return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
    };
    const sendTo = async (commonName: string, hasCa: boolean) => {
      const cert = pemOf(commonName);
      const caFile = join(folder, `${commonName}.pem`);
      await writeFile(caFile, cert);
      const server = await listen(createTls({ key, cert }));
      const url = `tls://localhost:${server.port}`;
      const settings = { url, hostName: "h", ...(hasCa && { caFile }) };
      const outcome = await createSyslogReceiver(settings)
        .send([event(1)])
        .then(() => "sent", String);
      return [outcome, ...messagesIn(server.text())];
    };
    expect(await sendTo("localhost", true)).toEqual(["sent", syslogMessage(event(1), "h")]);
    expect(await sendTo("localhost", false)).toEqual([expect.stringContaining("certificate")]);
    expect(await sendTo("other.example.org", true)).toEqual([expect.stringContaining("altnames")]);
  });
});
