/** How the pages tell the health of a protocol. */
import type { ProtocolHealth } from "./provider-api.ts";

export const HEALTH = {
  healthy: { kind: "good", text: "healthy" },
  attention: { kind: "warning", text: "attention" },
  disabled: { kind: "off", text: "disabled" },
  unknown: { kind: "none", text: "no logins yet" },
} as const;

/** When the first key that has an end expires; `undefined` if none has. */
export function firstExpiry({ keys }: ProtocolHealth): string | undefined {
  return keys.flatMap(({ expires_at: end }) => end ?? []).toSorted()[0];
}

/** `61 d`, `expired`, `no end`, or `never read` where logins need keys that were not read yet; nothing without keys. */
export function expiryText(health: ProtocolHealth, now: Date): string {
  const end = firstExpiry(health);
  if (end === undefined && health.keys.length > 0) return "no end";
  if (end === undefined) return health.reads_documents ? "never read" : "";
  const days = Math.floor((Date.parse(end) - now.getTime()) / 86_400_000);
  return days < 0 ? "expired" : `${days} d`;
}

/** Logins of today, in UTC. */
export function loginsToday({ logins }: ProtocolHealth, now: Date): number {
  const today = now.toISOString().slice(0, 10);
  return logins.find(({ day }) => day === today)?.succeeded ?? 0;
}
