/** What the caller may do: the service's policy decides, for this session's token. Pages hide the rest. */
import { askConsole } from "../api/client.ts";
import { session } from "./session.svelte.ts";

/** A target by the names of the API. */
export interface CheckTarget {
  readonly user?: { readonly id: string; readonly domain_id?: string };
  readonly group?: { readonly domain_id: string };
  readonly project?: { readonly id?: string; readonly domain_id?: string | null };
  readonly domain?: { readonly id: string };
  readonly role?: { readonly name: string; readonly domain_id?: string | null };
}

export interface Check {
  /** A policy action, such as `identity:create_user`. */
  readonly action: string;
  /** Without one, rules that depend on a target grant nothing. */
  readonly target?: CheckTarget;
}

/** Asks for several actions at once. An action counts as forbidden until, and unless, the service allows it. */
export async function askAllowed(checks: readonly Check[]): Promise<readonly boolean[]> {
  if (checks.length === 0) return [];
  try {
    return (await askConsole<{ allowed: boolean[] }>("/allowed", { method: "POST", body: { checks } }))
      .allowed;
  } catch {
    return checks.map(() => false);
  }
}

/** Reactive answers by name: `const may = new Allowed(() => ({ create: { action: "identity:create_user" } }))`, `may.has("create")`. */
export class Allowed<Name extends string> {
  #granted = $state.raw<ReadonlySet<string>>(new Set());

  /** @param checks Read in an effect: it asks again when what it depends on changes. Made while a component starts. */
  constructor(checks: () => Partial<Readonly<Record<Name, Check>>>) {
    $effect(() => {
      const entries = Object.entries<Check | undefined>(checks()).filter(
        (entry): entry is [string, Check] => entry[1] !== undefined,
      );
      let isCurrent = true;
      void this.#ask(entries, () => isCurrent);
      return () => (isCurrent = false);
    });
  }

  async #ask(entries: readonly [string, Check][], isCurrent: () => boolean): Promise<void> {
    const allowed = await askAllowed(entries.map(([, check]) => check));
    if (isCurrent())
      this.#granted = new Set(entries.flatMap(([name], index) => (allowed[index] ? [name] : [])));
  }

  has(name: Name): boolean {
    return this.#granted.has(name);
  }
}

/** The domain that lists are limited to: the token's, if it is scoped to one. The target of `list_...` actions. */
export function ownDomain(): { readonly domain?: { readonly id: string } } {
  const domain = session.current?.scope?.domain;
  return domain === undefined ? {} : { domain: { id: domain.id } };
}

/** The domain in which the caller creates things, if no other is chosen: that of the scope, or of the user. */
export function homeDomainId(): string {
  const current = session.current;
  return (
    current?.scope?.domain?.id ?? current?.scope?.project?.domain.id ?? current?.user.domain.id ?? "default"
  );
}
