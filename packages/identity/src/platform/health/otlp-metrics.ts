/** Metrics in OpenTelemetry's form, sent to a collector again and again: those of `/metrics`. Loaded where a collector is configured. */
import { hostname } from "node:os";

import { ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { JsonMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { FastifyBaseLogger } from "fastify";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from "prom-client";

import type { Clock } from "../clock.js";
import { createCollectorSender } from "../collector/collector-sender.js";
import type { Metrics } from "./metrics.js";

export interface MetricsExportSettings {
  /** Takes OTLP over HTTP. */
  readonly url: string;
  readonly everySeconds: number;
}

export interface MetricsExportDeps {
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
  readonly version: string;
  /** Of this replica, for the collector. */
  readonly port: number;
}

export interface MetricsExport {
  /** Sends the last values. */
  close(): Promise<void>;
}

type Collected = MetricObjectWithValues<MetricValue<string>>;
type Times = Pick<DataPoint<number>, "startTime" | "endTime">;

/** A collector that does not answer holds up the end of the process for so long. */
const MAX_SEND_MS = 2000;

export function startMetricsExport(
  metrics: Pick<Metrics, "values">,
  { url, everySeconds }: MetricsExportSettings,
  { clock, log, version, port }: MetricsExportDeps,
): MetricsExport {
  const sender = createCollectorSender({ url, signal: "metrics", maxMs: MAX_SEND_MS });
  const resource = resourceFromAttributes({
    "service.name": "hamkit-identity",
    "service.version": version,
    "service.instance.id": `${hostname()}:${port}`,
  });
  const startTime = millisToHrTime(clock.now());
  let hasFailed = false;
  let sending: Promise<void> | undefined;

  /** Whatever can't be sent is in the next values, too: all of them count from the start. */
  function send(): Promise<void> {
    sending ??= sendNow().finally(() => (sending = undefined));
    return sending;
  }

  async function sendNow(): Promise<void> {
    const collected = (await metrics.values()) as readonly Collected[];
    const times = { startTime, endTime: millisToHrTime(clock.now()) };
    const scope = { name: "hamkit-identity", version };
    const scopeMetrics = [{ scope, metrics: collected.map((metric) => toMetricData(metric, times)) }];
    const body = JsonMetricsSerializer.serializeRequest({ resource, scopeMetrics });
    try {
      await sender.send(body as Uint8Array<ArrayBuffer>);
      if (hasFailed) log.info("metrics are sent again");
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, "metrics not sent to the collector");
      hasFailed = true;
    }
  }

  const sendLater = () =>
    void send().catch((error: unknown) => log.warn({ err: error }, "metrics not collected"));
  const timer = setInterval(sendLater, everySeconds * 1000);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await sending?.catch(() => {});
      await send().catch(() => {});
      await sender.close();
    },
  };
}

/** Names, labels and values are those of Prometheus. */
function toMetricData({ name, help, type, values }: Collected, times: Times): MetricData {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client's types say a number, its values a word.
  switch (String(type)) {
    case "histogram":
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(values, times) };
    case "counter":
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: values.map((value) => toPoint(value, times)),
      };
    default:
      return {
        ...common,
        dataPointType: DataPointType.GAUGE,
        dataPoints: values.map((value) => toPoint(value, times)),
      };
  }
}

function toPoint({ labels, value }: MetricValue<string>, times: Times): DataPoint<number> {
  return { ...times, attributes: { ...labels }, value };
}

/** Prometheus counts what is at most a bound, OpenTelemetry what is above the bound before. */
function histogramsOf(values: readonly MetricValueWithName<string>[], times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, MetricValueWithName<string>[]>();
  for (const value of values) {
    const { le: _, ...labels } = value.labels;
    const key = JSON.stringify(labels);
    const parts = series.get(key);
    if (parts === undefined) series.set(key, [value]);
    else parts.push(value);
  }
  return Array.from(series.values(), (parts) => {
    const valueOf = (suffix: string) => parts.find((each) => each.metricName?.endsWith(suffix))?.value ?? 0;
    const buckets = parts.filter(({ labels }) => labels["le"] !== undefined);
    const bounds = buckets.map(({ labels }) => Number(String(labels["le"]).replace("+Inf", "Infinity")));
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const { le: _, ...attributes } = parts[0]?.labels ?? {};
    return {
      ...times,
      attributes,
      value: {
        buckets: { boundaries: bounds.filter((bound) => bound !== Infinity), counts },
        sum: valueOf("_sum"),
        count: valueOf("_count"),
      },
    };
  });
}

/** In the words of UCUM. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, "");
  if (base.endsWith("_seconds")) return "s";
  return base.endsWith("_bytes") ? "By" : "";
}
