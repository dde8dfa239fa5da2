/** Logins by method, and why they failed: of the routes that say in their configuration that they log users in. */
import type { FastifyInstance } from "fastify";
import { Counter, type Registry } from "prom-client";

import { atEndOf } from "../platform/http/request-end.js";
import { LOGIN_REASONS } from "../platform/login-reasons.js";
import { loginReasonOf } from "./failed-login-reports.js";

/** Methods of requests that are told apart; clients may make up names. */
const METHODS: ReadonlySet<string> = new Set([
  "application_credential",
  "mapped",
  "oauth1",
  "openid",
  "password",
  "saml2",
  "token",
  "totp",
  "webauthn",
]);

export function measureLogins(server: FastifyInstance, registry: Registry): void {
  const logins = new Counter({
    name: "identity_logins_total",
    help: "Logins by method, or `several` of them, and outcome. Requests that are malformed are none.",
    labelNames: ["method", "outcome"] as const,
    registers: [registry],
  });
  const failures = new Counter({
    name: "identity_failed_logins_total",
    help: "Failed logins by the code of their reason.",
    labelNames: ["reason"] as const,
    registers: [registry],
  });
  // A rate needs the time at which it was zero.
  for (const reason of Object.keys(LOGIN_REASONS)) failures.labels(reason).inc(0);
  server.addHook("onRoute", (route) => {
    const login = route.config?.login;
    if (login === undefined) return;
    atEndOf(route, (request, reply) => {
      const reason = loginReasonOf(request.failure);
      const method = request.loginMethods === undefined ? login : methodOf(request.loginMethods);
      if (reason !== undefined) {
        logins.labels(method, "failure").inc();
        failures.labels(reason).inc();
      } else if (request.failure === undefined && reply.statusCode < 300)
        logins.labels(method, "success").inc();
    });
  });
}

function methodOf(methods: readonly string[]): string {
  const [method, ...others] = methods;
  if (others.length > 0) return "several";
  return method !== undefined && METHODS.has(method) ? method : "other";
}
