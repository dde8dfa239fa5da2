/** Where the console is served. */

/** The path of the console, without a slash at its end: `/console`, unless the service's public URL has a path of its own. */
export const CONSOLE_PATH =
  document.querySelector<HTMLMetaElement>('meta[name="console-path"]')?.content.replace(/\/$/, "") ??
  "/console";

/** The prefix of the console's own routes. */
export const CONSOLE_API = `${CONSOLE_PATH}/api`;
