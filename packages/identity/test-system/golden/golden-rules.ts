/** Where the answers to the recorded requests differ from a real Keystone's, by the rules of docs/identity/differences.md. */

/** Names of requests by rule, by the file of the recording. */
export const RULES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "00_setup": {},
  "01_discovery": {
    "errors-in-json": [
      "GET /v2.0",
      "GET /v4",
      "GET /v3/nothing",
      "GET /v3/OS-FEDERATION",
      "GET /v3/OS-FEDERATION/",
      "GET /v3/auth",
      "GET /v3/auth/",
      "POST /",
      "POST /v3",
      "PUT /",
      "PUT /v3",
      "DELETE /",
      "DELETE /v3",
      "PATCH /",
      "PATCH /v3",
      "method TRACE",
    ],
    "only-what-is-there": ["GET / json-home", "GET /v3 json-home", "GET /v3//registered_limits"],
  },
  "02_auth_tokens": { "only-what-is-there": ["auth: unknown method", "auth: method oauth1 not enabled"] },
};
