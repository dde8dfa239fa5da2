/** The settings of metrics. */
import { httpUrl, onOrOff, wholeNumber, type Options } from "../option-parsers.js";

export const METRICS_OPTIONS = {
  isServed: {
    name: "IDENTITY_METRICS",
    parser: onOrOff,
    help: "serve /metrics: on or off",
    standard: "on",
  },
  port: {
    name: "IDENTITY_METRICS_PORT",
    parser: wholeNumber({ from: 1, to: 65_535 }),
    help: "separate port for /metrics, plain HTTP; by default that of the service",
  },
  url: {
    name: "IDENTITY_METRICS_URL",
    parser: httpUrl,
    help: "where an OpenTelemetry collector takes metrics by OTLP over HTTP, such as http://127.0.0.1:4318/v1/metrics; by default none are sent",
  },
  everySeconds: {
    name: "IDENTITY_METRICS_SECONDS",
    parser: wholeNumber({ from: 1, to: 3600 }),
    help: "seconds from one sending of metrics to IDENTITY_METRICS_URL to the next",
    standard: "60",
  },
} satisfies Options;
