/** Names password hashes in a report, and the weak ones among them. */

export interface HashDescription {
  /** Format and cost, such as `bcrypt, cost 12`. */
  readonly kind: string;
  /** Why it is weak; `undefined` if it is not. */
  readonly weakness?: string;
}

interface HashForm {
  readonly pattern: RegExp;
  readonly name: string;
  readonly cost: string;
  /** OWASP's password storage cheat sheet. */
  readonly leastCost: number;
}

const FORMS: readonly HashForm[] = [
  { pattern: /^\$2[abxy]\$(?<cost>\d\d)\$/, name: "bcrypt", cost: "cost", leastCost: 10 },
  { pattern: /^\$bcrypt-sha256\$.*?r=(?<cost>\d+)\$/, name: "bcrypt_sha256", cost: "cost", leastCost: 10 },
  { pattern: /^\$scrypt\$ln=(?<cost>\d+),/, name: "scrypt", cost: "ln", leastCost: 14 },
  { pattern: /^\$pbkdf2-sha512\$(?<cost>\d+)\$/, name: "pbkdf2_sha512", cost: "rounds", leastCost: 210_000 },
  {
    pattern: /^\$6\$(?:rounds=(?<cost>\d+)\$)?/,
    name: "sha512_crypt",
    cost: "rounds",
    // Replaced in Keystone since 2017.
    leastCost: Infinity,
  },
];

/** Of a hash in another format than Keystone's. */
export const UNKNOWN_HASH = "unknown format";

export function describeHash(hash: string): HashDescription {
  for (const { pattern, name, cost, leastCost } of FORMS) {
    const match = pattern.exec(hash);
    if (match === null) continue;
    const value = match.groups?.["cost"] ?? "5000";
    const kind = `${name}, ${cost} ${Number(value)}`;
    return Number(value) < leastCost ? { kind, weakness: `a weak hash: ${kind}` } : { kind };
  }
  return { kind: UNKNOWN_HASH };
}
