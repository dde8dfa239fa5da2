/**
 * Areas, the parts that the service is assembled from: each has the services, routes and background work of one subject, and is created
 * by the `index.ts` of its folder from the platform and from the areas it uses.
 */
import type { FastifyBaseLogger } from "fastify";

import type { Config } from "./config-options.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import type { Metrics } from "./platform/health/metrics.js";
import type { HttpServer } from "./platform/http/http-server.js";
import type { Links } from "./platform/http/links.js";
import type { NewId } from "./platform/ids.js";
import type { PurgeTask } from "./platform/purge-schedule.js";
import type { MasterKey } from "./platform/secrets/sealing.js";
import type { Publish } from "./events/event-log.js";
import type { Deletions } from "./policy/deletions.js";

/** What every area may use. */
export interface Platform {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly links: Links;
  /** Items of a list whose request names no limit; all of them, if `undefined`. */
  readonly defaultPageSize: number | undefined;
  readonly masterKey: MasterKey;
  readonly deletions: Deletions;
  /** Publishes an event that belongs to no change; others are published by their transactions. */
  readonly publish: Publish;
}

/** What the work beside requests reports to. */
export interface Reports {
  readonly log: FastifyBaseLogger;
  readonly registry: Metrics["registry"];
}

/** What an area gives to the process that serves it, beside its services. */
export interface Area {
  addRoutes?(server: HttpServer): void;
  /** What expires in its tables. */
  readonly purgeTasks?: readonly PurgeTask[];
  /** Starts its other work beside requests. @returns Stops it, after writing what is left. */
  start?(reports: Reports): Stop | Promise<Stop>;
}

/** An area with its services by name, which other areas use. */
export type AreaWithServices = Area & Readonly<Record<string, unknown>>;

/** Called when no request is in flight anymore. */
export type Stop = () => void | Promise<void>;
