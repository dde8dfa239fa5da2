/** The thread of {@link createCollectorSender}: sends each body that it gets, and reports how that went. */
import { parentPort, workerData } from "node:worker_threads";

import { ExportResultCode, type ExportResult } from "@opentelemetry/core";
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from "@opentelemetry/otlp-exporter-base/node-http";

import { limitHeapGrowth } from "../heap-growth.js";
import type { CollectorReport, CollectorSettings, CollectorTask } from "./collector-sender.js";

limitHeapGrowth();
const { url, signal, maxMs } = workerData as CollectorSettings;
const sender = createOtlpHttpExportDelegate<Uint8Array, object>(
  convertLegacyHttpOptions({ url, timeoutMillis: maxMs }, signal.toUpperCase(), `v1/${signal}`, {
    "Content-Type": "application/json",
  }),
  { serializeRequest: (body) => body, deserializeResponse: () => ({}) },
  `otlp_http_${signal}`,
  // Of itself it measures nothing.
  { name: "span", countItems: () => 1 },
  undefined,
);

parentPort?.on("message", ({ id, body }: CollectorTask) =>
  sender.export(body, (result) => report({ id, failure: failureOf(result) })),
);

function report(message: CollectorReport): void {
  // The rule is for windows of browsers.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

/** In words, with the status of a response; `undefined` for a success. */
function failureOf({ code, error }: ExportResult): string | undefined {
  if (code === ExportResultCode.SUCCESS) return undefined;
  const status =
    error !== undefined && "code" in error && typeof error.code === "number" ? `${error.code} ` : "";
  return `${status}${error?.message ?? "no response"}`;
}
