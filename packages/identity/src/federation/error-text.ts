/** Errors as log lines name them: with their causes, so that a failed request names the network's error. */

/** Such as `request to idp.example.org: no response (connect ECONNREFUSED 192.0.2.1:443)`. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const text = ownText(error);
  return error.cause instanceof Error ? `${text} (${errorText(error.cause)})` : text;
}

/** The message. Where several addresses of a host failed, Node's error has a code alone. */
export function ownText(error: Error): string {
  if (error.message !== "") return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
