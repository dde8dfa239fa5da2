/** The domains that the caller may see, by id: for names in lists and for choices. */
import { api, ask } from "../api/client.ts";
import { session } from "../app/session.svelte.ts";

export interface Domain {
  readonly id: string;
  readonly name: string;
}

/** Reactive. Made while a component starts; loads at once. */
export class Domains {
  all = $state.raw<readonly Domain[]>([]);
  readonly #names = $derived(new Map(this.all.map(({ id, name }) => [id, name])));

  constructor() {
    this.all = knownDomains();
    void this.#load();
  }

  /** The name, or the id of a domain that the caller may not see. */
  nameOf(id: string | null | undefined): string {
    return id === null || id === undefined ? "" : (this.#names.get(id) ?? id);
  }

  async #load(): Promise<void> {
    try {
      this.all = await listDomains();
    } catch {
      // The known ones remain: names are a help, the page says itself what it can't load.
    }
  }
}

/** All domains; those of the caller's own roles, where only administrators may list all. */
async function listDomains(): Promise<readonly Domain[]> {
  try {
    return merged((await ask(api.GET("/v3/domains"))).domains);
  } catch {
    return merged((await ask(api.GET("/v3/auth/domains"))).domains);
  }
}

function merged(domains: readonly Domain[]): readonly Domain[] {
  const byId = new Map([...knownDomains(), ...domains].map((domain) => [domain.id, domain]));
  return [...byId.values()].toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Those that the session names. */
function knownDomains(): readonly Domain[] {
  const { user, scope } = session.current ?? {};
  return [user?.domain, scope?.domain, scope?.project?.domain].filter((domain) => domain !== undefined);
}
