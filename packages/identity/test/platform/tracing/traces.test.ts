/** Traces of requests, as a collector gets them by OTLP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createLog } from "../../../src/platform/log.js";
import { createOutgoingFetch } from "../../../src/platform/outgoing/outgoing-requests.js";
import { createOtlpTracer, type RequestTracer } from "../../../dist/platform/tracing/otlp-tracer.js";
import { setTracer, traced } from "../../../src/platform/tracing/tracing.js";
import { databases } from "../../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../test-app.js";

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
}
interface Sent {
  readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly SentSpan[] }[] }[];
}

const closings: (() => unknown)[] = [];
afterEach(async () => {
  setTracer(undefined);
  for (const close of closings.splice(0).toReversed()) await close();
});

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  closings.push(() => (server.closeAllConnections(), server.close()));
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A tracer and the collector that it sends to. */
async function collected(percent: number) {
  const spans: SentSpan[] = [];
  const lines: string[] = [];
  const state = { status: 200 };
  const url = await listen(async (request, response) => {
    const sent = (await json(request)) as Sent;
    if (state.status === 200)
      spans.push(
        ...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
      );
    response.writeHead(state.status, { "content-type": "application/json" }).end("{}");
  });
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  const clock = { now: () => 0 };
  const tracer = createOtlpTracer(
    { url: `${url}/v1/traces`, percent },
    { clock, log, version: "1.2.3", random: () => 0.5 },
  );
  setTracer(tracer);
  return { tracer, spans, lines, log, state };
}

const valueOf = ({ attributes }: SentSpan, key: string) => attributes.find((each) => each.key === key)?.value;
const CALLER = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };
const traceparent = (flags: string) => `00-${CALLER.trace}-${CALLER.span}-${flags}`;

describe(`traces on ${databases.name}`, () => {
  let service: TestApp;
  async function serve(percent: number) {
    const collector = await collected(percent);
    service = await testApp(databases, {}, { tracer: collector.tracer, log: collector.log });
    closings.push(() => service.remove());
    return collector;
  }
  const logIn = (headers: Record<string, string> = {}, password = ADMIN_PASSWORD) => {
    const user = { name: "admin", domain: { id: "default" }, password };
    const payload = { auth: { identity: { methods: ["password"], password: { user } } } };
    return service.app.server.inject({ method: "POST", url: "/v3/auth/tokens", headers, payload });
  };

  it("continue that of the caller: the request, its queries and its password hash, without what was typed", async () => {
    const { tracer, spans, lines } = await serve(0);
    const answer = await logIn({ traceparent: traceparent("01") }, "Secr3t-typed");
    expect(answer.statusCode).toBe(401);
    await tracer.close();
    const [root, ...others] = spans.toSorted((one) => (one.name === "POST /v3/auth/tokens" ? -1 : 1));
    expect(root).toMatchObject({
      name: "POST /v3/auth/tokens",
      traceId: CALLER.trace,
      parentSpanId: CALLER.span,
    });
    if (root === undefined) throw new Error("no span");
    expect(valueOf(root, "openstack.request_id")).toEqual({
      stringValue: answer.headers["x-openstack-request-id"],
    });
    expect(valueOf(root, "http.response.status_code")).toEqual({ intValue: 401 });
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(["query", "password hash"]));
    const known = new Set(spans.map(({ spanId }) => spanId));
    for (const { traceId, parentSpanId = "" } of others)
      expect({ traceId, isKnown: known.has(parentSpanId) }).toEqual({ traceId: CALLER.trace, isKnown: true });
    expect(JSON.stringify(spans)).not.toMatch(/Secr3t-typed|"admin"/);
    const ofRequest = lines.map((line) => JSON.parse(line) as { msg: string; trace?: string });
    expect(ofRequest.filter(({ msg }) => msg === "answered" || msg === "login refused")).toMatchObject([
      { trace: CALLER.trace, request: answer.headers["x-openstack-request-id"] },
      { trace: CALLER.trace, request: answer.headers["x-openstack-request-id"] },
    ]);
  });

  it.each([
    { percent: 0, headers: {}, count: 0, title: "are none of a request outside the share" },
    { percent: 51, headers: {}, count: 1, title: "are of the share of requests that was asked for" },
    {
      percent: 100,
      headers: { traceparent: traceparent("00") },
      count: 0,
      title: "are none whose caller decided so",
    },
    {
      percent: 0,
      headers: { traceparent: "00-x-y-01" },
      count: 0,
      title: "are none of a caller that is not understood",
    },
  ])("$title", async ({ percent, headers, count }) => {
    const { tracer, spans, lines } = await serve(percent);
    expect((await logIn(headers)).statusCode).toBe(201);
    await tracer.close();
    expect(spans.filter(({ name }) => name.startsWith("POST"))).toHaveLength(count);
    expect(lines.filter((line) => line.includes('"trace"')).length > 0).toBe(count > 0);
  });

  it("of callers are followed fifty times in a second, whoever asks for more", async () => {
    const { tracer, spans } = await serve(0);
    const headers = { traceparent: traceparent("01") };
    for (let request = 0; request < 80; request++)
      await service.app.server.inject({ url: "/healthcheck", headers });
    await tracer.close();
    expect(spans).toHaveLength(50);
  });
});

describe("a request to another server", () => {
  let tracer: RequestTracer;
  let collector: Awaited<ReturnType<typeof collected>>;
  beforeEach(async () => {
    collector = await collected(100);
    ({ tracer } = collector);
  });

  it("continues the trace there, and has none outside of a request", async () => {
    const seen: unknown[] = [];
    const url = await listen((request, response) => {
      seen.push(request.headers["traceparent"]);
      response.end("ok");
    });
    const send = createOutgoingFetch({ allowsHttp: true, allowsPrivate: () => true });
    await send(url, { method: "GET", headers: {} });
    const span = tracer.begin({ id: "req-1", method: "GET", traceparent: undefined });
    await new Promise<void>((resolve, reject) => {
      span?.run(() => void send(url, { method: "GET", headers: {} }).then(() => resolve(), reject));
    });
    span?.end({ route: "/x", status: 200 });
    await tracer.close();
    const sent = collector.spans.find(({ name }) => name === "request");
    expect(seen).toEqual([undefined, `00-${span?.traceId}-${sent?.spanId}-01`]);
    expect(sent && valueOf(sent, "server.address")).toEqual({ stringValue: new URL(url).host });
  });

  it("has five hundred spans at most", async () => {
    const span = tracer.begin({ id: "req-1", method: "GET", traceparent: undefined });
    const queries = async () => {
      for (let query = 0; query < 600; query++) await traced("query", "select 1", async () => {});
    };
    await new Promise<void>((resolve) => span?.run(() => void queries().then(resolve)));
    span?.end({ route: "/x", status: 200 });
    await tracer.close();
    expect(collector.spans).toHaveLength(501);
  });

  it("reports once that the collector fails, and drops", async () => {
    collector.state.status = 500;
    for (let request = 0; request < 3; request++)
      tracer.begin({ id: "req-1", method: "GET", traceparent: undefined })?.end({ route: "/x", status: 200 });
    await tracer.close();
    expect(collector.lines.filter((line) => line.includes("traces not sent"))).toHaveLength(1);
  });
});
