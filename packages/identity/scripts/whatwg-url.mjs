/** In the place of the package by which ldapts reads URLs: Node has the same reader, and the package's tables take 1 MB of each process. */

/** @returns `null` for what is no URL. */
export function parseURL(text) {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port } = new URL(text);
  // ldapts joins the parts of an IPv6 address.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1).split(":") : hostname;
  return { scheme: protocol.slice(0, -1), host, port: port === "" ? null : Number(port) };
}
