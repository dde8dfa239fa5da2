/** `hamkit-identity serve`: from the settings to a service that listens, until it is told to stop. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";

import type { FastifyBaseLogger } from "fastify";

import { createApp, type App } from "./app.js";
import type { Config } from "./config.js";
import { createReaderThreads } from "./federation/saml/threads/reader-threads.js";
import { systemClock } from "./platform/clock.js";
import { createMetricsServer } from "./platform/health/metrics-server.js";
import { newId, newRequestId } from "./platform/ids.js";
import { publicUrlOf, urlHost } from "./public-url.js";
import { readTls } from "./tls-files.js";
import type { StopRequest } from "./workers/messages.js";
import type { WorkerLink } from "./workers/worker-link.js";

/** How long requests may take to end once the service has been told to stop. */
const STOP_MS = 10_000;

/** A service that listens. */
export interface Serving {
  /** Where it listens, such as `http://127.0.0.1:5000`. */
  readonly url: string;
  /** Where clients reach it. */
  readonly publicUrl: string;
  /** The administrator's password, where this start has made it up. */
  readonly firstPassword: string | undefined;
  /**
   * Takes requests for the time that is set, while `/readyz` answers 503, and then answers what has begun, for ten seconds at
   * most. Resolves to whether all of it was answered.
   */
  stop(request?: StopRequest): Promise<boolean>;
  /** Reads certificate and key again. */
  reload(): void;
}

/** The process around the service. */
export interface Surroundings {
  readonly log: FastifyBaseLogger;
  /** Set where this is one of several processes that serve. */
  readonly worker?: WorkerLink | undefined;
}

/**
 * Starts the service.
 *
 * @throws {ConfigError} A file that an option names can't be read.
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 * @throws The address can't be listened on.
 */
export async function serve(config: Config, { log, worker }: Surroundings): Promise<Serving> {
  const tls = readTls(config);
  const publicUrl = publicUrlOf(config);
  const samlReader = createReaderThreads();
  const world = { log, tls, clock: systemClock, newId, newRequestId, isProcess: true, worker, samlReader };
  const app = await createApp({ ...config, publicUrl }, world);
  let metricsServer: Server | undefined;
  try {
    metricsServer = await listenForMetrics(app, config, log);
    await app.server.listen({ host: config.host, port: config.port });
  } catch (error) {
    metricsServer?.close();
    await app.close();
    throw error;
  }
  const { port } = app.server.server.address() as AddressInfo;
  const url = `${tls === undefined ? "http" : "https"}://${urlHost(config.host)}:${port}`;
  log.info({ url, publicUrl, pid: process.pid }, "serving");
  const { firstPassword } = app;
  const close = async () => {
    await app.close();
    await samlReader.close();
    metricsServer?.closeAllConnections();
    metricsServer?.close();
  };
  return {
    url,
    publicUrl,
    firstPassword,
    stop: ({ isHurried } = { isHurried: false }) => {
      const delaySeconds = isHurried ? 0 : config.shutdownDelaySeconds;
      log.info({ delaySeconds }, "stopping");
      return stop(app, close, delaySeconds * 1000);
    },
    reload: () => reloadTls(app, config, log),
  };
}

async function stop(app: App, close: () => Promise<void>, delayMs: number): Promise<boolean> {
  app.announceStop();
  await delay(delayMs);
  const end = new AbortController();
  const late = delay(STOP_MS, false, { signal: end.signal }).catch(() => false);
  const isDone = await Promise.race([close().then(() => true), late]);
  end.abort();
  return isDone;
}

/** @returns `undefined` where metrics have no port of their own. */
async function listenForMetrics(
  { metrics }: App,
  { hasMetrics, metricsPort, host }: Config,
  log: FastifyBaseLogger,
): Promise<Server | undefined> {
  if (!hasMetrics || metricsPort === undefined) return undefined;
  const server = createMetricsServer(metrics, { log });
  server.listen({ host, port: metricsPort });
  await once(server, "listening");
  return server;
}

/** Connections that come from now on get the certificate that the files hold now. One that is wrong changes nothing. */
function reloadTls(app: App, config: Config, log: FastifyBaseLogger): void {
  const { server } = app.server;
  try {
    const tls = readTls(config);
    if (tls === undefined || !(server instanceof TlsServer)) return;
    server.setSecureContext(tls);
    log.info("certificate read again");
  } catch (error) {
    log.error({ err: error }, "certificate not read again");
  }
}
