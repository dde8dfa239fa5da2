/**
 * Which requests a server of this computer answers: other sites must not read through the browser of its user.
 *
 * A site whose name is pointed to 127.0.0.1 after it was loaded (DNS rebinding) sends its own name as `Host`: only names that are
 * known and addresses, which can't be pointed elsewhere, are accepted.
 */
import type { IncomingMessage } from "node:http";

/** A host and a port. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;
const ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * Why a request is rejected; `undefined` if it is not.
 *
 * @param names Host names that are accepted besides localhost and addresses, in lower case.
 */
export function rejectionOf(
  { headers }: Pick<IncomingMessage, "headers">,
  names: readonly string[],
): string | undefined {
  const host = headers.host?.toLowerCase() ?? "";
  const name = host.replace(/:\d+$/, "");
  const isKnown = HOST.test(host) && (ADDRESS.test(name) || name === "localhost" || names.includes(name));
  if (!isKnown) {
    return `The host ${JSON.stringify(headers.host ?? "")} is not accepted; hamkit serve --host NAME adds a name.`;
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return "Requests of other sites are not accepted.";
  return undefined;
}

/** Whether the browser says that a page of another site asks; old browsers and other programs say nothing. */
export function isFromElsewhere({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
