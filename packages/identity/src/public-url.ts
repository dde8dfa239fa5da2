/** Where clients reach the service, unless it is told. */
import { ConfigError, type Config } from "./config.js";

/**
 * An address without a slash at the end.
 *
 * @throws {ConfigError} It can't be known.
 */
export function publicUrlOf({ publicUrl, host, port, tlsCertFile }: Config): string {
  if (publicUrl !== undefined) return publicUrl;
  if (port === 0) throw new ConfigError("IDENTITY_PUBLIC_URL", "is needed for links where any port will do");
  return `${tlsCertFile === undefined ? "http" : "https"}://${reachableHost(host)}:${port}`;
}

/** Who listens everywhere is reached at this computer at least. */
function reachableHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : urlHost(host);
}

/** A host as addresses write it. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
