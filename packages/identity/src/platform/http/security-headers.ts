/** Headers that have browsers do nothing with an answer but hand it to whoever asked. */

/**
 * For every answer: it is what its type says, is shown in nobody's frame, runs and loads nothing, tells no other site where it
 * was, and, as it may hold a token, is kept nowhere. A route that answers with a page says otherwise.
 *
 * @param publicUrl Where clients reach the service: if by HTTPS, browsers are told never to do it otherwise.
 */
export function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
  };
}
