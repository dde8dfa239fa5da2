/** The port to keys outside of the database and the machine: a key that never leaves Vault or a token wraps the master key. */

export type WrapperKind = "vault" | "pkcs11";

/** Where a process has its master key from. */
export type SourceKind = "environment" | "file" | WrapperKind;

/** A master key that another key has wrapped: useless without that key. */
export interface WrappedKey {
  /** Of the master key. */
  readonly keyId: string;
  readonly source: WrapperKind;
  /** The name of the wrapping key in its source. */
  readonly wrappingKey: string;
  /** The ciphertext, in the form of its source. */
  readonly wrapped: string;
}

export interface KeyWrapper {
  readonly kind: WrapperKind;
  /** For messages, such as `Vault at https://vault.example.org:8200`. */
  readonly title: string;
  /**
   * Wraps a master key of 32 bytes with the wrapping key of the settings.
   *
   * @throws {KeySourceError}
   */
  wrap(bytes: Uint8Array, keyId: string): Promise<WrappedKey>;
  /** @throws {KeySourceError} The source can't be reached, refuses, or the ciphertext was changed. */
  unwrap(wrapped: WrappedKey): Promise<Buffer>;
  /** What weakens the wrapping key, or will soon make it useless: a sentence each, with its remedy. */
  examine(wrapped: WrappedKey): Promise<readonly string[]>;
  /** When it wants to be used again at the latest, to keep its login. */
  restMs(): number;
}

/** The source of a master key does not give it. The message has no secrets. */
export class KeySourceError extends Error {
  override readonly name = "KeySourceError";
  readonly code: "master-key/source-unavailable" | "master-key/source-refused";
  /** The status of Vault's response, if it has responded. */
  readonly status: number | undefined;

  /** @param code Whether waiting may help: `unavailable`. */
  constructor(
    code: KeySourceError["code"],
    message: string,
    { status, cause }: { readonly status?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }
}

/** Whether waiting may help: the source may come back, or its administrator may permit. */
export function isTemporary(error: unknown): error is KeySourceError {
  return error instanceof KeySourceError && error.code === "master-key/source-unavailable";
}

/** Names of wrapping keys: in paths of Vault's API and in labels of tokens. */
export const WRAPPING_KEY_NAME = /^[\w][\w.-]{0,99}$/;

/** @throws {KeySourceError} The database has a name that can't be one: it was changed. */
export function checkedWrappingKey({ wrappingKey }: WrappedKey): string {
  if (WRAPPING_KEY_NAME.test(wrappingKey)) return wrappingKey;
  throw new KeySourceError(
    "master-key/source-refused",
    "the name of the wrapping key in the database is malformed: letters, digits, _, . and - are expected",
  );
}
