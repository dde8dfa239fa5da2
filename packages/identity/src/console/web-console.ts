/** The console of this service: its address, its sessions, and how browsers return to it from identity providers. */
import type { BrowserStep } from "../federation/assertion-verifier.js";
import type { SessionTarget } from "../federation/browser/websso.js";
import {
  consoleAddressOf,
  consolePageOf,
  createConsoleForwarding,
  type ConsoleAddress,
  type ConsoleForwarding,
} from "./console-address.js";
import {
  createConsoleCookie,
  createConsoleSessions,
  draftOfReceipt,
  draftOfToken,
  type ConsoleCookie,
  type ConsoleSessions,
  type ConsoleSessionsDeps,
  type SessionDraft,
} from "./console-sessions.js";

export interface WebConsole {
  readonly address: ConsoleAddress;
  readonly cookie: ConsoleCookie;
  readonly sessions: ConsoleSessions;
  readonly forwarding: ConsoleForwarding;
  /** For logins that began in the console. */
  readonly target: SessionTarget;
}

/** @returns Why the console can't be used, where it can't. */
export function createWebConsole(
  deps: Omit<ConsoleSessionsDeps, "cookie"> & { readonly publicUrl: string },
): WebConsole | { readonly fault: string } {
  const address = consoleAddressOf(deps.publicUrl);
  if ("fault" in address) return address;
  const cookie = createConsoleCookie(address);
  const sessions = createConsoleSessions({ ...deps, cookie });

  async function beginAt(page: string, draft: SessionDraft): Promise<BrowserStep> {
    // The browser's former session stays until its token expires: its cookie does not come with a form of the provider.
    return {
      status: 303,
      headers: { "set-cookie": [await sessions.begin(draft)], location: page },
      body: "",
    };
  }

  return {
    address,
    cookie,
    sessions,
    forwarding: createConsoleForwarding(),
    target: {
      // A path alone is no origin: dashboards quote theirs twice.
      pageOf: (requested) => (URL.canParse(requested) ? consolePageOf(address, requested) : undefined),
      begin: (page, token) => beginAt(page, draftOfToken(token)),
      beginUnfinished: (page, error) => beginAt(page, draftOfReceipt(error)),
    },
  };
}
