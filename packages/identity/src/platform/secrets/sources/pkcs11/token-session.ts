/** Sessions with a PKCS#11 token: finds it, logs in, and finds a key by its label. One at a time in a process. */
import { readFileOfSetting } from "../../../readable-file.js";
import { KeySourceError } from "../key-wrapper.js";
import {
  allocate,
  exactBuffer,
  loadCryptoki,
  readWords,
  type Cryptoki,
  type FunctionName,
} from "./cryptoki.js";
import type { Pkcs11Settings } from "./pkcs11-options.js";

export interface TokenSession {
  readonly cryptoki: Cryptoki;
  /** Of the session. */
  readonly handle: number;
  /** @throws {KeySourceError} The token returns an error. */
  call(
    name: FunctionName,
    ...values: Parameters<Cryptoki["call"]> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<void>;
  /** The handle of the AES key with a label. @throws {KeySourceError} None, or several have it. */
  findKey(label: string): Promise<number>;
}

/** How long a token may take for all calls. */
const TIMEOUT_MS = 10_000;
const MAX_SLOTS = 64;
/** Flags of `C_OpenSession`. */
const SERIAL_SESSION = 4;
const NORMAL_USER = 1;
/** Attributes, and their values for AES keys. */
const CLASS = { type: 0, secretKey: 4 };
const LABEL = 3;
const KEY_TYPE = { type: 0x100, aes: 0x1f };

/** Results that have a cause an operator can mend; others are told by their number. */
const RESULTS: Readonly<Record<number, string>> = {
  0x03: "the slot does not exist (IDENTITY_PKCS11_SLOT)",
  0x30: "the token reports an error of the device",
  0x32: "the token was removed",
  0x40: "the wrapped key was changed, or another key has wrapped it",
  0x41: "the wrapped key was changed, or another key has wrapped it",
  0x70: "the token has no AES-GCM",
  0xa0: "the PIN is wrong",
  0xa2: "the PIN is too short or too long",
  0xa4: "the PIN is locked: the token's security officer has to set it again",
  0xe0: "no token in the slot",
  0x102: "the token has no user PIN yet",
};
const PIN_RESULTS = new Set([0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);
/** The token may be plugged in, or its network may come back. */
const TEMPORARY_RESULTS = new Set([0x30, 0x31, 0x32, 0xe0, 0xe1]);
const ALREADY_INITIALIZED = 0x191;
const ALREADY_LOGGED_IN = 0x100;

export interface TokenSessions {
  readonly title: string;
  /** @throws {KeySourceError} */
  use<Result>(work: (session: TokenSession) => Promise<Result>): Promise<Result>;
}

/** Modules have one login for a whole process: work on them is done in turn. */
const queues = new Map<string, Promise<unknown>>();

export function createTokenSessions(settings: Pkcs11Settings & { readonly module: string }): TokenSessions {
  const { module, tokenLabel, slot } = settings;
  const title = `PKCS#11 token ${tokenLabel === undefined ? `in slot ${slot}` : `"${tokenLabel}"`}`;
  /** A wrong PIN is not tried twice: after a few times a token locks it. */
  let wrongPin: string | undefined;
  let loading: Promise<Cryptoki> | undefined;

  const failure = (result: number): KeySourceError => {
    const reason = RESULTS[result] ?? `it returned the error 0x${result.toString(16)}`;
    const code = TEMPORARY_RESULTS.has(result)
      ? "master-key/source-unavailable"
      : "master-key/source-refused";
    return new KeySourceError(code, `${title}: ${reason}`);
  };

  async function require(
    cryptoki: Cryptoki,
    ...[name, ...values]: Parameters<Cryptoki["call"]>
  ): Promise<void> {
    const result = await cryptoki.call(name, ...values);
    if (result !== 0) throw failure(result);
  }

  async function open(): Promise<Cryptoki> {
    const cryptoki = await loadCryptoki(module);
    // Functions that create and lock mutexes: none, the module uses those of the system.
    const OS_LOCKING_OK = 2;
    const result = await cryptoki.call("C_Initialize", cryptoki.words(0, 0, 0, 0, OS_LOCKING_OK, 0));
    if (result !== 0 && result !== ALREADY_INITIALIZED) throw failure(result);
    return cryptoki;
  }

  function load(): Promise<Cryptoki> {
    loading ??= open().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function findSlot(cryptoki: Cryptoki): Promise<number> {
    if (tokenLabel === undefined) return slot ?? 0;
    const count = cryptoki.words(MAX_SLOTS);
    const slots = cryptoki.words(...Array.from({ length: MAX_SLOTS }, () => 0));
    await require(cryptoki, "C_GetSlotList", 1, slots, count);
    const found: number[] = [];
    for (const each of readWords(slots).slice(0, readWords(count)[0])) {
      // Labels are the first 32 bytes, padded with blanks.
      const info = allocate(256);
      if ((await cryptoki.call("C_GetTokenInfo", each, info)) !== 0) continue;
      if (info.subarray(0, 32).toString().trimEnd() === tokenLabel) found.push(each);
    }
    const [first] = found;
    if (first === undefined)
      throw new KeySourceError(
        "master-key/source-unavailable",
        `${title}: no token has this label (IDENTITY_PKCS11_TOKEN)`,
      );
    if (found.length > 1)
      throw new KeySourceError(
        "master-key/source-refused",
        `${title}: ${found.length} tokens have this label: set IDENTITY_PKCS11_SLOT instead`,
      );
    return first;
  }

  async function logIn(cryptoki: Cryptoki, handle: number): Promise<void> {
    const pin = readPin(settings);
    if (pin === wrongPin)
      throw new KeySourceError(
        "master-key/source-refused",
        `${title}: the PIN was wrong, and is not tried again until it is another`,
      );
    const bytes = exactBuffer(pin);
    const result = await cryptoki.call("C_Login", handle, NORMAL_USER, bytes, bytes.length);
    if (PIN_RESULTS.has(result)) wrongPin = pin;
    if (result !== 0 && result !== ALREADY_LOGGED_IN) throw failure(result);
  }

  async function findKey(session: TokenSession, label: string): Promise<number> {
    const { cryptoki, handle } = session;
    const attributes = [
      { type: CLASS.type, value: cryptoki.words(CLASS.secretKey) },
      { type: KEY_TYPE.type, value: cryptoki.words(KEY_TYPE.aes) },
      { type: LABEL, value: exactBuffer(label) },
    ];
    const template = cryptoki.words(...attributes.flatMap(({ type, value }) => [type, value, value.length]));
    const [objects, count] = [cryptoki.words(0, 0), cryptoki.words(0)];
    await session.call("C_FindObjectsInit", handle, template, attributes.length);
    await session.call("C_FindObjects", handle, objects, 2, count);
    await session.call("C_FindObjectsFinal", handle);
    const found = readWords(count)[0] ?? 0;
    if (found === 1) return readWords(objects)[0] ?? 0;
    const reason =
      found === 0 ? `no AES key has the label "${label}"` : `several AES keys have the label "${label}"`;
    throw new KeySourceError("master-key/source-refused", `${title}: ${reason} (IDENTITY_PKCS11_KEY)`);
  }

  async function useOnce<Result>(work: (session: TokenSession) => Promise<Result>): Promise<Result> {
    const cryptoki = await load();
    const place = cryptoki.words(0);
    await require(cryptoki, "C_OpenSession", await findSlot(cryptoki), SERIAL_SESSION, null, null, place);
    const handle = readWords(place)[0] ?? 0;
    try {
      await logIn(cryptoki, handle);
      const session: TokenSession = {
        cryptoki,
        handle,
        call: (name, ...values) => require(cryptoki, name, ...values),
        findKey: (label) => findKey(session, label),
      };
      return await work(session);
    } finally {
      // The last session of a process ends its login.
      await cryptoki.call("C_CloseSession", handle);
    }
  }

  return {
    title,
    async use(work) {
      const begun = (queues.get(module) ?? Promise.resolve()).then(() => useOnce(work));
      queues.set(
        module,
        begun.catch(() => {}),
      );
      return withinTime(begun, title);
    },
  };
}

/** A call that does not return can't be ended: later ones wait for it, and are given up as it is. */
async function withinTime<Result>(work: Promise<Result>, title: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `${title}: no answer within ${TIMEOUT_MS / 1000} s`;
      reject(new KeySourceError("master-key/source-unavailable", message));
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readPin({ pin, pinFile = "" }: Pkcs11Settings): string {
  if (pin !== undefined) return pin;
  try {
    return readFileOfSetting(pinFile).trim();
  } catch (error) {
    const reason = `IDENTITY_PKCS11_PIN_FILE: "${pinFile}" ${(error as Error).message}`;
    throw new KeySourceError("master-key/source-unavailable", reason, { cause: error });
  }
}
