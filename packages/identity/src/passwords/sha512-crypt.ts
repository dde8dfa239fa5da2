/**
 * SHA-512 crypt (`$6$`), which Keystone wrote before release Pike and reads up to release 22. Verified only.
 *
 * @see https://www.akkadia.org/drepper/SHA-crypt.txt
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";

/** `$6$rounds=N$salt$digest`; without `rounds=`, 5000. */
export const SHA512_CRYPT =
  /^\$6\$(?:rounds=(?<rounds>\d{1,9})\$)?(?<salt>[^$\n]{0,16})\$(?<digest>[./0-9A-Za-z]{86})$/;

const DEFAULT_ROUNDS = 5000;
const MIN_ROUNDS = 1000;
/** passlib's default is 656000. A million takes some four seconds. */
const MAX_ROUNDS = 1_000_000;
/** Each round hashes the password up to twice: this many bytes in all take some seconds too. */
const MAX_PASSWORD_ROUNDS = 400_000_000;
/** Rounds between which other work of the process runs: some four milliseconds. */
const ROUNDS_AT_ONCE = 1000;
const DIGEST_BYTES = 64;

export interface Sha512CryptHash {
  readonly rounds: number;
  readonly salt: Buffer;
}

/** The cost and salt, from the groups of {@link SHA512_CRYPT}. */
export function parseSha512Crypt({
  rounds = String(DEFAULT_ROUNDS),
  salt = "",
}: Readonly<Record<string, string | undefined>>): Sha512CryptHash {
  return { rounds: Math.max(MIN_ROUNDS, Number(rounds)), salt: Buffer.from(salt) };
}

/** The digest of a password, in crypt's base64; `undefined` if the cost exceeds the limits. */
export async function sha512Crypt(
  password: Buffer,
  { rounds, salt }: Sha512CryptHash,
): Promise<string | undefined> {
  if (rounds > MAX_ROUNDS || rounds * password.length > MAX_PASSWORD_ROUNDS) return undefined;
  const alternate = sha512(password, salt, password);
  const bits = bitsOf(password.length).map((isSet) => (isSet ? alternate : password));
  let digest: Buffer = sha512(password, salt, repeated(alternate, password.length), ...bits);
  const passwords = repeated(
    sha512(...Array.from({ length: password.length }, () => password)),
    password.length,
  );
  const salts = repeated(sha512(...Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt)), salt.length);
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_AT_ONCE === ROUNDS_AT_ONCE - 1) await nextTurn();
    const isOdd = round % 2 === 1;
    digest = sha512(
      isOdd ? passwords : digest,
      round % 3 === 0 ? NOTHING : salts,
      round % 7 === 0 ? NOTHING : passwords,
      isOdd ? digest : passwords,
    );
  }
  return toCryptBase64(digest);
}

const NOTHING = Buffer.alloc(0);

function sha512(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** A digest again and again, up to a length. */
function repeated(digest: Buffer, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

/** The lowest bit first. */
function bitsOf(length: number): boolean[] {
  const bits: boolean[] = [];
  for (let rest = length; rest > 0; rest >>= 1) bits.push(rest % 2 === 1);
  return bits;
}

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Three bytes, 21 apart, in four characters, the lowest six bits first; the last byte in two. */
function toCryptBase64(digest: Buffer): string {
  const text: string[] = [];
  const write = (value: number, characters: number): void => {
    for (let count = 0, rest = value; count < characters; count++, rest >>= 6)
      text.push(ALPHABET.charAt(rest & 63));
  };
  const [at, step] = [(place: number) => digest[place] ?? 0, 21];
  for (let start = 0; start < step; start++) {
    // The order of the three rotates.
    const places = [start, start + step, start + 2 * step];
    const [first = 0, second = 0, third = 0] = [0, 1, 2].map((place) => places[(place + start) % 3]);
    write((at(first) << 16) | (at(second) << 8) | at(third), 4);
  }
  write(at(DIGEST_BYTES - 1), 2);
  return text.join("");
}
