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
  /** Ids in the path of the request; of a login, the names that it gave. */
  readonly target?: Readonly<Record<string, unknown>>;
  /** The current names of these ids. */
  readonly target_names?: Readonly<Record<string, string>>;
  /** What the request created, changed or deleted, where the service knows it. */
  readonly item?: { readonly kind: string; readonly id: string; readonly name?: string } | null;
  /** The members of a change; without values, if they may be secret, or are lists or objects. */
  readonly changes?: Readonly<
    Record<string, { readonly before?: ShownValue; readonly after?: ShownValue }>
  > | null;
}
type ShownValue = string | number | boolean | null;

/** The target in words: kind and name of the item, or the names in the path. A long name begins in the line of its kind. */
export function targetText({ item, target = {}, target_names: names = {} }: AuditEvent): string {
  if (item) return `${item.kind.replaceAll("_", " ")}\u00A0${item.name ?? item.id}`;
  return Object.entries(target)
    .map(([member, value]) => `${nounOf(member)}\u00A0${names[member] ?? String(value)}`)
    .join(", ");
}

/** What a member of a target is: `project` of `project_id`. */
export function nounOf(member: string): string {
  return member.replace(/_id$/, "").replace(/^idp$/, "provider").replaceAll("_", " ");
}

/** A changed member in words. */
export function changeText({
  before,
  after,
}: {
  readonly before?: ShownValue;
  readonly after?: ShownValue;
}): string {
  if (before === undefined && after === undefined) return "changed; its value is not recorded";
  const shown = (value: ShownValue | undefined) =>
    value === null || value === undefined ? "none" : String(value);
  return before === undefined ? shown(after) : `${shown(before)} → ${shown(after)}`;
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
