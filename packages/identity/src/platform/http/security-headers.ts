/** Security headers of all responses. */

/**
 * Browsers do not guess the type of responses, frame them, run or load anything, send a referrer, or store responses, which may
 * contain tokens. Routes that respond with a page override them.
 *
 * @param publicUrl With HTTPS, browsers never use HTTP again.
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
