/** What the service says of the cloud: its name, its logo, and whom to ask for roles. */
import { CONSOLE_API } from "../api/base.ts";
import { askConsole } from "../api/client.ts";

interface Cloud {
  readonly name: string;
  /** Whom users without a role may ask. */
  readonly contact: string | null;
  readonly has_logo: boolean;
}

let current = $state.raw<Cloud>({ name: "Identity", contact: null, has_logo: false });

/** Reactive. */
export const cloud = {
  get name(): string {
    return current.name;
  },
  get contact(): string | null {
    return current.contact;
  },
  /** The address of the logo, if there is one. */
  get logo(): string | undefined {
    return current.has_logo ? CONSOLE_API.replace(/api$/, "logo") : undefined;
  },
};

/** Reads it; the standard name stays if that fails. */
export async function loadCloud(): Promise<void> {
  try {
    current = await askConsole<Cloud>("/cloud");
  } catch {
    // The session's request tells what is wrong.
  }
}
