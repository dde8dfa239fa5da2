/**
 * Calls the functions of a PKCS#11 module ("Cryptoki"), in threads of their own.
 *
 * Arguments are numbers and buffers; structures are buffers of unsigned longs and addresses, as 64-bit Unix systems lay them out.
 * Package koffi calls them: the one for PKCS#11, pkcs11js, is compiled when it is installed.
 *
 * @see PKCS #11 Cryptographic Token Interface Base Specification 2.40, and its header files pkcs11f.h and pkcs11t.h.
 */
import { messageOf } from "../../../errors.js";
import { KeySourceError } from "../key-wrapper.js";

/** What is used of koffi. A pointer is a `bigint`. */
interface Koffi {
  load(path: string): {
    func(name: string, result: string, parameters: readonly unknown[]): (...values: unknown[]) => unknown;
  };
  proto(result: string, parameters: readonly string[]): unknown;
  decode(pointer: unknown, type: unknown): unknown;
  decode(pointer: unknown, offset: number, type: unknown): unknown;
  address(value: Buffer): bigint;
}

/** Places in the list of functions, which begins with a version of two bytes; and their parameters: `n` an unsigned long, `p` a pointer. */
const FUNCTIONS = {
  C_Initialize: { at: 0, parameters: "p" },
  C_GetFunctionList: { at: 3, parameters: "p" },
  C_GetSlotList: { at: 4, parameters: "bpp" },
  C_GetTokenInfo: { at: 6, parameters: "np" },
  C_OpenSession: { at: 12, parameters: "nnppp" },
  C_CloseSession: { at: 13, parameters: "n" },
  C_Login: { at: 18, parameters: "nnpn" },
  C_GetAttributeValue: { at: 24, parameters: "nnpn" },
  C_FindObjectsInit: { at: 26, parameters: "npn" },
  C_FindObjects: { at: 27, parameters: "npnp" },
  C_FindObjectsFinal: { at: 28, parameters: "n" },
  C_EncryptInit: { at: 29, parameters: "npn" },
  C_Encrypt: { at: 30, parameters: "npnpp" },
  C_DecryptInit: { at: 33, parameters: "npn" },
  C_Decrypt: { at: 34, parameters: "npnpp" },
} as const;

const C_TYPES: Readonly<Record<string, string>> = { b: "uchar", n: "ulong", p: "void *" };
const WORD = 8;

export type FunctionName = keyof typeof FUNCTIONS;

export interface Cryptoki {
  /** @returns The result, `CKR_…`: 0 if all went well. */
  call(name: FunctionName, ...values: readonly (number | bigint | Buffer | null)[]): Promise<number>;
  /** Unsigned longs, and addresses of buffers, which are kept as long as the result. */
  words(...values: readonly (number | Buffer)[]): Buffer;
}

/** @throws {KeySourceError} Package koffi or the module is missing. */
export async function loadCryptoki(module: string): Promise<Cryptoki> {
  const koffi = await loadKoffi();
  if (process.platform === "win32" || !/64|s390x/.test(process.arch))
    throw refused(
      `PKCS#11 modules are supported on 64-bit Unix systems, not on ${process.platform} ${process.arch}`,
    );
  const list = allocate(WORD);
  try {
    const status = loadOnce(koffi, module).func("C_GetFunctionList", "ulong", ["void *"])(list);
    if (Number(status) !== 0) throw new Error(`C_GetFunctionList returned ${String(status)}`);
  } catch (error) {
    throw refused(`IDENTITY_PKCS11_MODULE: "${module}" can't be loaded: ${messageOf(error)}`, error);
  }
  const pointers = list.readBigUInt64LE();
  const functions = new Map(
    Object.entries(FUNCTIONS).map(([name, { at, parameters }]) => {
      const types = parameters.split("").map((each) => C_TYPES[each] ?? "");
      const pointer = koffi.decode(pointers, (at + 1) * WORD, "void *");
      return [name, koffi.decode(pointer, koffi.proto("ulong", types)) as Callable];
    }),
  );
  /** What a function reads and writes must not be collected before it has returned. */
  const inUse = new Set<readonly unknown[]>();
  const pointedTo = new WeakMap<Buffer, readonly (number | Buffer)[]>();
  return {
    call: (name, ...values) =>
      new Promise((resolve, reject) => {
        inUse.add(values);
        functions.get(name)?.async(...values, (error: unknown, status: unknown) => {
          inUse.delete(values);
          if (error === null || error === undefined) resolve(Number(status));
          else reject(refused(`${name}: ${messageOf(error)}`, error));
        });
      }),
    words(...values) {
      const buffer = allocate(values.length * WORD);
      for (const [index, value] of values.entries())
        buffer.writeBigUInt64LE(
          typeof value === "number" ? BigInt(value) : koffi.address(value),
          index * WORD,
        );
      pointedTo.set(buffer, values);
      return buffer;
    },
  };
}

/** Without its handle a library is unloaded. */
const libraries = new Map<string, ReturnType<Koffi["load"]>>();

function loadOnce(koffi: Koffi, module: string): ReturnType<Koffi["load"]> {
  const library = libraries.get(module) ?? koffi.load(module);
  libraries.set(module, library);
  return library;
}

interface Callable {
  async(...values: readonly unknown[]): void;
}

/** Not a dependency: only services with a token need it. */
async function loadKoffi(): Promise<Koffi> {
  try {
    return ((await import("koffi")) as { readonly default: Koffi }).default;
  } catch (error) {
    throw refused(
      "IDENTITY_PKCS11_MODULE requires the npm package koffi, which is not installed: npm install koffi@3",
      error,
    );
  }
}

function refused(message: string, cause?: unknown): KeySourceError {
  return new KeySourceError("master-key/source-refused", message, { cause });
}

/** The unsigned longs that a function has written. */
export function readWords(buffer: Buffer): number[] {
  return Array.from({ length: buffer.length / WORD }, (_, index) =>
    Number(buffer.readBigUInt64LE(index * WORD)),
  );
}

/** In memory of its own, whose address is known. */
export function exactBuffer(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const buffer = allocate(bytes.length);
  bytes.copy(buffer);
  return buffer;
}

/** Outside of the heap, where nothing moves it: small typed arrays are within. */
export function allocate(bytes: number): Buffer {
  return Buffer.from(new ArrayBuffer(bytes));
}
