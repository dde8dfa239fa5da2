/** `hamkit-identity serve`: starts the listening service, and stops it gracefully. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Server as TlsServer, createSecureContext } from "node:tls";

import type { FastifyBaseLogger } from "fastify";

import { createApp, type App, type AppDeps } from "./app.js";
import { ConfigError, type Config } from "./config.js";
import { createReaderThreads } from "./federation/protocols/saml2/threads/reader-threads.js";
import { systemClock } from "./platform/clock.js";
import { awaitKey } from "./key-wait.js";
import { createMetricsServer } from "./platform/health/metrics.js";
import type { MetricsExport, MetricsExportDeps } from "./platform/health/otlp-metrics.js";
import { newId, newRequestId } from "./platform/ids.js";
import type { LogHealth } from "./platform/log-output/log-output.js";
import type { ServiceLog } from "./platform/log.js";
import { readFileOfSetting } from "./platform/readable-file.js";
import { packageVersion } from "./package-version.js";
import { setTracer } from "./platform/tracing/tracing.js";
import type { RequestTracer } from "./platform/tracing/otlp-tracer.js";
import { publicUrlOf, urlHost } from "./public-url.js";
import { shutDown } from "./shutdown.js";
import type { StopRequest, WorkerLink } from "./workers/worker-link.js";

/** A listening service. */
export interface Serving {
  /** The listening address, such as `http://127.0.0.1:5000`. */
  readonly url: string;
  /** The public base URL. */
  readonly publicUrl: string;
  /** The administrator's password, if this start generated it. */
  readonly firstPassword: string | undefined;
  /** Where users find the console; `undefined` where they don't. */
  readonly consoleUrl: string | undefined;
  /**
   * Keeps accepting requests for the shutdown delay, with `/readyz` at 503, then completes requests in flight for at most ten
   * seconds. Resolves to whether all completed.
   */
  stop(request?: StopRequest): Promise<boolean>;
  /** Reloads the certificate with its key, the master key, and the policy files. */
  reload(): void;
}

export interface ServeDeps {
  readonly log: ServiceLog;
  /** Where the log is written. */
  readonly logOutput: LogHealth;
  /** Set in a worker process. */
  readonly worker?: WorkerLink | undefined;
  /** `hamkit-identity doctor`, for the console. */
  readonly examine?: AppDeps["examine"];
}

/**
 * Starts the service.
 *
 * @throws {ConfigError} A configured file can't be read.
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError} {@link StoppedWhileWaiting}
 * @throws The address is not available.
 */
export async function serve(
  config: Config,
  { log, logOutput, worker, examine }: ServeDeps,
): Promise<Serving> {
  const tls = readTls(config.server);
  const publicUrl = publicUrlOf(config.server);
  const samlReader = createReaderThreads();
  const deps = {
    log,
    logOutput,
    tls,
    clock: systemClock,
    newId,
    newRequestId,
    publicUrl,
    isProcess: true,
    worker,
    samlReader,
    examine,
  };
  const tracer = await startTracing(config.tracing, log);
  const wait = { ...config.server, tls, worker, log };
  const app = await createApp(config, { ...deps, tracer, awaitKey: (load) => awaitKey(load, wait) });
  let metricsServer: Server | undefined;
  let metricsExport: MetricsExport | undefined;
  try {
    metricsServer = await listenForMetrics(app, config, log);
    await app.server.listen({ host: config.server.host, port: config.server.port });
  } catch (error) {
    metricsServer?.close();
    await app.close();
    throw error;
  }
  const { port } = app.server.server.address() as AddressInfo;
  // The metrics of all workers.
  if (worker === undefined || worker.id === 1)
    metricsExport = await startSendingMetrics(app, config, { log, port });
  const url = `${tls === undefined ? "http" : "https"}://${urlHost(config.server.host)}:${port}`;
  const { firstPassword, consoleUrl } = app;
  const close = async () => {
    await metricsExport?.close();
    await app.close();
    await samlReader.close();
    setTracer(undefined);
    await tracer?.close();
    metricsServer?.closeAllConnections();
    metricsServer?.close();
  };
  return {
    url,
    publicUrl,
    firstPassword,
    consoleUrl,
    stop: ({ isHurried } = { isHurried: false }) => {
      const delaySeconds = isHurried ? 0 : config.server.shutdownDelaySeconds;
      log.info({ delaySeconds }, "stopping");
      return shutDown(app, close, delaySeconds * 1000);
    },
    reload() {
      reloadTls(app, config, log);
      void app.reloadMasterKey();
      app.reloadPolicy();
    },
  };
}

/** @returns `undefined` where nothing is traced: no library is loaded then. */
async function startTracing(
  { url, percent }: Config["tracing"],
  log: FastifyBaseLogger,
): Promise<RequestTracer | undefined> {
  if (url === undefined) return undefined;
  const { createOtlpTracer } = await import("./platform/tracing/otlp-tracer.js");
  const tracer = createOtlpTracer({ url, percent }, { clock: systemClock, log, version: packageVersion() });
  setTracer(tracer);
  return tracer;
}

/** @returns `undefined` where nothing is sent: no library is loaded then. */
async function startSendingMetrics(
  { metrics }: App,
  { metrics: { url, everySeconds } }: Config,
  deps: Pick<MetricsExportDeps, "log" | "port">,
): Promise<MetricsExport | undefined> {
  if (url === undefined) return undefined;
  const { startMetricsExport } = await import("./platform/health/otlp-metrics.js");
  const settings = { url, everySeconds };
  return startMetricsExport(metrics, settings, { ...deps, clock: systemClock, version: packageVersion() });
}

/** @returns `undefined` without a separate port for metrics. */
async function listenForMetrics(
  { metrics }: App,
  { metrics: { isServed, port }, server: { host } }: Config,
  log: FastifyBaseLogger,
): Promise<Server | undefined> {
  if (!isServed || port === undefined) return undefined;
  const server = createMetricsServer(metrics, { log });
  server.listen({ host, port });
  await once(server, "listening");
  return server;
}

/** Uses the files' current certificate for new connections. An invalid one is logged and ignored. */
function reloadTls(app: App, config: Config, log: FastifyBaseLogger): void {
  const { server } = app.server;
  try {
    const tls = readTls(config.server);
    if (tls === undefined || !(server instanceof TlsServer)) return;
    server.setSecureContext(tls);
    log.info("certificate read again");
  } catch (error) {
    log.error({ err: error }, "certificate not read again");
  }
}

/** In PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * @returns `undefined` for plain HTTP.
 * @throws {ConfigError} A file can't be read or is invalid, or the key does not match the certificate.
 */
export function readTls({ tlsCertFile, tlsKeyFile }: Config["server"]): TlsFiles | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const files = {
    cert: readPem("IDENTITY_TLS_CERT_FILE", tlsCertFile),
    key: readPem("IDENTITY_TLS_KEY_FILE", tlsKeyFile),
  };
  try {
    createSecureContext(files);
  } catch (cause) {
    throw new ConfigError(
      "IDENTITY_TLS_CERT_FILE",
      `"${tlsCertFile}" and "${tlsKeyFile}" are not a certificate and its key: ${(cause as Error).message}`,
    );
  }
  return files;
}

function readPem(option: string, path: string): string {
  try {
    return readFileOfSetting(path);
  } catch (cause) {
    throw new ConfigError(option, `"${path}" ${(cause as Error).message}`);
  }
}
