/** The system's keyring, by the optional package `@napi-rs/keyring`. */
import { IOError } from "../../errors.js";
import { bareFailure } from "../../io/download.js";

/** The Secret Service of Linux (GNOME Keyring, KWallet, KeePassXC), the keychain of macOS, or the Credential Manager of Windows. */
export interface Keyring {
  /** A secret by the name of its setting; `undefined` if there is none. */
  readonly read: (name: string) => Promise<string | undefined>;
  readonly write: (name: string, secret: string) => Promise<void>;
  /** Whether there was one. */
  readonly remove: (name: string) => Promise<boolean>;
}

/** The used part of the package. */
interface KeyringPackage {
  readonly AsyncEntry: new (service: string, name: string, options: object) => Entry;
}

interface Entry {
  getPassword(): Promise<string | null>;
  setPassword(secret: string): Promise<void>;
  deletePassword(): Promise<boolean>;
}

/** The service of all entries; their names are those of settings. */
const SERVICE = "hamkit";

/** Without a Secret Service, the package would take the kernel's keyring, which forgets all when the system restarts. */
const OPTIONS = { linux: { store: "secret-service" } };

const PACKAGE: string = "@napi-rs/keyring";

/**
 * Opens the keyring.
 *
 * @param load Loads the package; for tests.
 * @throws {IOError} The package is not installed, or the system has no keyring.
 */
export async function openKeyring(load: () => Promise<KeyringPackage> = loadPackage): Promise<Keyring> {
  const { AsyncEntry } = await load();
  const entryOf = (name: string) => new AsyncEntry(SERVICE, name, OPTIONS);
  await attempted("this system has no keyring that can be used", [], async () => entryOf("any"));
  return {
    read: (name) =>
      attempted(`${name} can't be read`, [], async () => (await entryOf(name).getPassword()) ?? undefined),
    write: (name, secret) =>
      attempted(`${name} can't be stored`, [secret], async () => entryOf(name).setPassword(secret)),
    remove: (name) => attempted(`${name} can't be deleted`, [], async () => entryOf(name).deletePassword()),
  };
}

async function loadPackage(): Promise<KeyringPackage> {
  try {
    return (await import(PACKAGE)) as KeyringPackage;
  } catch (cause) {
    throw new IOError("keyring", `the package is not installed: npm install --global ${PACKAGE}`, { cause });
  }
}

async function attempted<Result>(
  what: string,
  secrets: readonly string[],
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (failure) {
    const cause = bareFailure(failure, secrets);
    throw new IOError("keyring", `${what}: ${cause.message}`, { cause });
  }
}
