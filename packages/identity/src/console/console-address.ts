/** Where the console is: below the service's public URL. */

/** The console's paths as the service receives them, whatever precedes them in the public URL. */
export const CONSOLE_PATH = "/console";
export const CONSOLE_API_PATH = "/console/api";

export interface ConsoleAddress {
  /** `https://identity.example.org/console/`. */
  readonly url: string;
  /** Of the pages, as browsers send it. */
  readonly origin: string;
  /** The path of {@link url}. */
  readonly path: string;
  /** Whether cookies are sent by HTTPS only; otherwise the service is at a loopback address. */
  readonly isSecure: boolean;
}

/**
 * @param publicUrl Without a slash at the end.
 * @returns Why the console can't be used there, for users: a cookie that anyone on the network can read would be a login.
 */
export function consoleAddressOf(publicUrl: string): ConsoleAddress | { readonly fault: string } {
  const { origin, pathname: path, protocol, hostname, href: url } = new URL(`${publicUrl}/console/`);
  const isSecure = protocol === "https:";
  if (isSecure || isLoopback(hostname)) return { url, origin, path, isSecure };
  return {
    fault: `The console needs HTTPS, except at a loopback address. IDENTITY_PUBLIC_URL is ${publicUrl}`,
  };
}

/** Whether packets to a host stay on its machine: the names that browsers treat like HTTPS, too. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** @returns The URL of a page of the console; `undefined` for any other text. @param requested A URL, or a path from the root. */
export function consolePageOf({ url, path }: ConsoleAddress, requested: string): string | undefined {
  if (!/^(?:\/|https?:)/.test(requested) || !URL.canParse(requested, url)) return undefined;
  const target = new URL(requested, url);
  const isPage =
    target.origin === new URL(url).origin &&
    target.username + target.password === "" &&
    target.pathname.startsWith(path) &&
    !target.pathname.startsWith(`${path}api/`);
  return isPage ? target.href : undefined;
}
