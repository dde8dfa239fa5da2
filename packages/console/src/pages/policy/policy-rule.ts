/** A rule of the policy, and what policy files do to it, in words. */

export interface PolicyRule {
  readonly name: string;
  readonly rule: string;
  readonly built_in: string | null;
  readonly place: string | null;
  readonly scopes: readonly string[] | null;
  readonly uses: readonly string[];
  readonly is_changed: boolean;
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  readonly crosses_domains: boolean;
}

export const EFFECTS = {
  crossing: { kind: "warning", text: "reaches other domains" },
  opened: { kind: "warning", text: "opened" },
  both: { kind: "warning", text: "opened, closed" },
  closed: { kind: "good", text: "closed" },
  same: { kind: "none", text: "written anew" },
} as const;

export type Effect = keyof typeof EFFECTS | "none";

export function effectOf({
  is_changed: isChanged,
  opened,
  closed,
  crosses_domains: isCrossing,
}: PolicyRule): Effect {
  if (!isChanged) return "none";
  if (isCrossing) return "crossing";
  if (opened.length > 0) return closed.length > 0 ? "both" : "opened";
  return closed.length > 0 ? "closed" : "same";
}

/** Each word in the name or the text, whatever its case. */
export function matchesSearch({ name, rule }: PolicyRule, search: string): boolean {
  const text = `${name} ${rule}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The tokens that an action is for. */
export function tokensText({ scopes }: PolicyRule): string {
  if (scopes === null) return "of any kind";
  return scopes.map((scope) => (scope === "system" ? "for the system" : `for a ${scope}`)).join(", ");
}
