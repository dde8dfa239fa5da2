/** Malformed HTTP over a real connection. */
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../databases.js";
import { testApp, type TestApp } from "../../../test-app.js";

describe("what is no HTTP", () => {
  let service: TestApp;
  let port: number;
  beforeAll(async () => {
    service = await testApp(sqliteDatabases);
    await service.app.server.listen({ host: "127.0.0.1", port: 0 });
    ({ port } = service.app.server.server.address() as AddressInfo);
  });
  afterAll(() => service.remove());

  /** Everything that comes back until the other side ends the connection. */
  async function send(text: string): Promise<{ readonly status: string; readonly body: unknown }> {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => (answer += data.toString()));
    socket.write(text);
    await once(socket, "close");
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    return { status: head.split("\r\n")[0] ?? "", body: JSON.parse(body) as unknown };
  }

  it.each([
    [
      "an unknown method",
      "FOO /v3 HTTP/1.1\r\nhost: x\r\n\r\n",
      "400 Bad Request",
      "The request has a method that nobody knows.",
    ],
    [
      "the beginning of TLS",
      "\u0016\u0003\u0001 hello\r\n\r\n",
      "400 Bad Request",
      "The request has a method that nobody knows.",
    ],
    [
      "headers of 100 KB",
      `GET /v3 HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(100_000)}\r\n\r\n`,
      "431 Request Header Fields Too Large",
      "The request has too many headers, or too long ones.",
    ],
    [
      "two lengths",
      "POST /v3/auth/tokens HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
      "400 Bad Request",
      "The request is no HTTP.",
    ],
  ])("is refused as everything else is: %s", async (_, text, line, message) => {
    const { status, body } = await send(text);
    expect(status).toBe(`HTTP/1.1 ${line}`);
    const [code = "", ...title] = line.split(" ");
    expect(body).toEqual({
      error: { code: Number(code), message, title: title.join(" ") },
    });
  });
});
