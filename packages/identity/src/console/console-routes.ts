/** Adds everything below `/console`. */
import type { HttpServer } from "../platform/http/http-server.js";
import { addAllowedRoutes } from "./allowed-routes.js";
import { addAuditRoutes, type AuditRoutesDeps } from "./audit/audit-routes.js";
import { addConsoleFiles, addConsoleNotice, type ConsoleFiles } from "./console-files.js";
import { addConsoleLoginRoutes, type ConsoleLoginRoutesDeps } from "./console-login-routes.js";
import { addConsoleSessionRoutes, type ConsoleSessionRoutesDeps } from "./console-session-routes.js";
import { addOverviewRoutes, type OverviewRoutesDeps } from "./overview/overview-routes.js";
import type { WebConsole } from "./web-console.js";

/** What the console shows of the process. */
export interface ConsoleRoutesOptions
  extends AuditRoutesDeps, Omit<OverviewRoutesDeps, "database" | "clock"> {
  /** `undefined` where the console's pages were not built. */
  readonly files: ConsoleFiles | undefined;
}

export interface ConsoleRoutesDeps
  extends
    Omit<ConsoleSessionRoutesDeps, "webConsole">,
    Omit<ConsoleLoginRoutesDeps, "webConsole" | "database">,
    Pick<OverviewRoutesDeps, "database" | "clock"> {
  readonly webConsole: WebConsole;
  readonly consoleOptions: ConsoleRoutesOptions;
}

const NOT_BUILT = "This installation has no console: its pages were not built.";

export function addConsoleRoutes(server: HttpServer, { consoleOptions, ...deps }: ConsoleRoutesDeps): void {
  const { files } = consoleOptions;
  addAllowedRoutes(server);
  addConsoleSessionRoutes(server, deps);
  addConsoleLoginRoutes(server, deps);
  addOverviewRoutes(server, { ...deps, ...consoleOptions });
  addAuditRoutes(server, consoleOptions);
  const { address } = deps.webConsole;
  if (files === undefined) addConsoleNotice(server, NOT_BUILT);
  else addConsoleFiles(server, { address, files });
}
