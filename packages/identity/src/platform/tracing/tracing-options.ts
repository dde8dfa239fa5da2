/** The settings of traces. */
import { httpUrl, wholeNumber, type Options } from "../option-parsers.js";

export const TRACING_OPTIONS = {
  url: {
    name: "IDENTITY_TRACES_URL",
    parser: httpUrl,
    help: "where an OpenTelemetry collector takes traces by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; by default nothing is traced",
  },
  percent: {
    name: "IDENTITY_TRACES_PERCENT",
    parser: wholeNumber({ from: 0, to: 100 }),
    help: "requests of a hundred that are traced, besides those that their caller traces",
    standard: "1",
  },
} satisfies Options;
