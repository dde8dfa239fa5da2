/** Traces in OpenTelemetry's form, sent to a collector. Loaded where one is configured. */
import { AsyncLocalStorage } from "node:async_hooks";

import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
} from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent, type ExportResult } from "@opentelemetry/core";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace";
import type { FastifyBaseLogger } from "fastify";

import type { Clock } from "../clock.js";
import { createCollectorSender } from "../collector/collector-sender.js";
import { createMemoryBuckets } from "../token-buckets.js";
import { shortened } from "../text/quoted-value.js";
import type { TracedWork, Tracer } from "./tracing.js";

export interface TracingSettings {
  /** Takes OTLP over HTTP. */
  readonly url: string;
  /** Of a hundred requests. */
  readonly percent: number;
}

export interface OtlpTracerDeps {
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
  readonly version: string;
  /** 0 to below 1; `Math.random`, if left out. */
  readonly random?: () => number;
}

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs what the request leads to. */
  run(work: () => void): void;
  /** @param response.status `undefined` if the client hung up before it was sent. */
  end(response: { readonly route: string; readonly status: number | undefined }): void;
}

export interface RequestTracer extends Tracer {
  /** @returns `undefined` for a request that is not traced. */
  begin(request: {
    readonly id: string;
    readonly method: string;
    readonly traceparent: string | undefined;
  }): RequestSpan | undefined;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Requests per second that callers have traced: a stranger can set the header, and must not slow the service down. */
const MAX_FOLLOWED = 50;
/** Spans of a request. */
const MAX_SPANS = 500;
const MAX_DETAIL = 1000;
/** A collector that does not answer holds up the end of the process for so long. */
const MAX_SEND_MS = 2000;

const SPANS: Readonly<
  Record<TracedWork, { readonly name: string; readonly attribute: string; readonly kind: SpanKind }>
> = {
  query: { name: "query", attribute: "db.query.text", kind: SpanKind.CLIENT },
  request: { name: "request", attribute: "server.address", kind: SpanKind.CLIENT },
  directory: { name: "directory", attribute: "ldap.operation", kind: SpanKind.CLIENT },
  password: { name: "password hash", attribute: "password.operation", kind: SpanKind.INTERNAL },
  saml: { name: "SAML thread", attribute: "saml.message", kind: SpanKind.INTERNAL },
};

/** The request that work is done for, and the span that it is part of. */
interface Traced {
  readonly span: Span;
  readonly request: { spans: number };
}

export function createOtlpTracer(
  { url, percent }: TracingSettings,
  { clock, log, version, random = Math.random }: OtlpTracerDeps,
): RequestTracer {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "hamkit-identity", "service.version": version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: createExporter(url, log) })],
  });
  const tracer = provider.getTracer("hamkit-identity", version);
  const current = new AsyncLocalStorage<Traced>();
  /** Traced requests that have no response yet. */
  let active = 0;
  const followed = createMemoryBuckets({ burst: MAX_FOLLOWED, perSecond: MAX_FOLLOWED, clock, maxKeys: 1 });

  /** The trace that a request continues or begins; `undefined` for none. */
  function contextOf(traceparent: string | undefined): Context | undefined {
    const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
    if (caller === null) return random() * 100 < percent ? ROOT_CONTEXT : undefined;
    const isFollowed = (caller.traceFlags & TraceFlags.SAMPLED) !== 0 && followed.take("").isAllowed;
    return isFollowed ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : undefined;
  }

  return {
    begin({ id, method, traceparent }) {
      const context = contextOf(traceparent);
      if (context === undefined) return undefined;
      const attributes = { "http.request.method": method, "openstack.request_id": id };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, context);
      const traced: Traced = { span, request: { spans: 0 } };
      active++;
      return {
        traceId: span.spanContext().traceId,
        run: (work) => current.run(traced, work),
        end({ route, status }) {
          span.updateName(`${method} ${route}`);
          span.setAttribute("http.route", route);
          if (status === undefined) span.setAttribute("error.type", "client hung up");
          else span.setAttribute("http.response.status_code", status);
          if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
          // While it is enabled, Node before 24 calls hooks for each promise of the process, of requests that are not traced, too.
          if (--active === 0) current.disable();
        },
      };
    },

    traced(work, detail, run) {
      const parent = current.getStore();
      return parent === undefined || ++parent.request.spans > MAX_SPANS
        ? run()
        : runInSpan(parent, { work, detail }, run);
    },

    headers() {
      const span = current.getStore()?.span;
      if (span === undefined) return {};
      const { traceId, spanId } = span.spanContext();
      return { traceparent: `00-${traceId}-${spanId}-01` };
    },

    // What can't be sent is reported, and lost.
    close: () => provider.shutdown().catch(() => {}),
  };

  async function runInSpan<Result>(
    parent: Traced,
    { work, detail }: { readonly work: TracedWork; readonly detail: string },
    run: () => Promise<Result>,
  ): Promise<Result> {
    const { name, attribute, kind } = SPANS[work];
    const options = { kind, attributes: { [attribute]: shortened(detail, MAX_DETAIL) } };
    const span = tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent.span));
    try {
      return await current.run({ ...parent, span }, run);
    } catch (error) {
      // Messages may have what users typed.
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Logs when the collector begins and ends to fail. Spans are dropped meanwhile. */
function createExporter(url: string, log: OtlpTracerDeps["log"]): SpanExporter {
  const sender = createCollectorSender({ url, signal: "traces", maxMs: MAX_SEND_MS });
  let hasFailed = false;
  async function send(spans: ReadableSpan[]): Promise<ExportResult> {
    try {
      await sender.send(JsonTraceSerializer.serializeRequest(spans) as Uint8Array<ArrayBuffer>);
      if (hasFailed) log.info("traces are sent again");
      hasFailed = false;
      return { code: ExportResultCode.SUCCESS };
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, "traces not sent: they are dropped");
      hasFailed = true;
      return { code: ExportResultCode.FAILED, error: error as Error };
    }
  }
  return {
    export: (spans, report) => void send(spans).then(report),
    shutdown: () => sender.close(),
  };
}
