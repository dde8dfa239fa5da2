/** `/console/api/audit`: what was done, by whom. */

export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  /** The status of the response. */
  readonly status?: number;
  readonly user_id: string | null;
  /** The names of the user and of the user's domain; `null` without a user, or if the user does not exist (any longer). */
  readonly user: { readonly name: string; readonly domain: string } | null;
  readonly request_id: string | null;
  readonly address?: string | null;
  readonly scope: object | null;
  readonly delegation?: unknown;
  readonly target?: unknown;
}

export interface AuditPage {
  /** Whether the service keeps an audit trail at all. */
  readonly is_kept: boolean;
  readonly events: readonly AuditEvent[];
  /** The marker of the next page. */
  readonly next: string | null;
}

/** Outcomes in words. */
export const OUTCOMES = {
  done: { kind: "good", text: "done" },
  refused: { kind: "warning", text: "refused" },
  failed: { kind: "bad", text: "failed" },
} as const;

/** The moment that a period of the filter begins. */
export function sinceOf(period: string, now: Date): string | undefined {
  const hours = { hour: 1, day: 24, week: 168, month: 720 }[period];
  return hours === undefined ? undefined : new Date(now.getTime() - hours * 3_600_000).toISOString();
}

/** The scope of the caller's token: the trail keeps ids. */
export function scopeText(scope: object): string {
  const [kind, value] = Object.entries(scope)[0] ?? ["unscoped"];
  const id = (value as { id?: string } | undefined)?.id;
  return id === undefined ? kind : `${kind} ${id}`;
}
