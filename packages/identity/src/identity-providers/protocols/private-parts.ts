/** Private keys among settings that everyone may read who may read the protocol: JWKS and certificates are public. */

/** Members of private and symmetric keys. @see RFC 7518, 6.2.2, 6.3.2 and 6.4.1; RFC 8037, 2; `priv` is that of post-quantum keys ("AKP"). */
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]);
/** What only a private or symmetric key does. @see RFC 7517, 4.3 */
const PRIVATE_OPERATIONS: ReadonlySet<unknown> = new Set([
  "sign",
  "decrypt",
  "unwrapKey",
  "deriveKey",
  "deriveBits",
]);
/** Also of encrypted keys, and keys of OpenPGP and OpenSSH. */
const PRIVATE_PEM = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const PRIVATE_BLOCK =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,40}-----|$)/g;

/** What makes a setting private, such as `"jwks.keys[0]" (kid "a") has the private member "d"`. Never its value. */
export function privatePart(settings: object): string | undefined {
  return partOf(settings, "");
}

/** The settings as they may be shown: without private members and keys. Those in use are not changed. */
export function withoutPrivateParts<Settings extends object>(settings: Settings): Settings {
  return privatePart(settings) === undefined ? settings : (shown(settings, "") as Settings);
}

function partOf(value: unknown, place: string): string | undefined {
  if (typeof value === "string")
    return PRIVATE_PEM.test(value) ? `"${place}" has a private key in PEM` : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const own = isInJwks(place) && !Array.isArray(value) ? privateMember(value) : undefined;
  if (own !== undefined) return `"${place}"${kidOf(value)} ${own}`;
  for (const [name, member] of Object.entries(value)) {
    const found = partOf(member, placeOf(value, { name, place }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Beside keys, and within them: a key may be pasted at any place. */
const isInJwks = (place: string): boolean => /^jwks\b/.test(place);

function privateMember(key: object): string | undefined {
  const member = Object.keys(key).find((name) => PRIVATE_MEMBERS.has(name));
  if (member !== undefined) return `has the private member "${member}", expected a public key`;
  const { kty, key_ops: operations } = key as { readonly kty?: unknown; readonly key_ops?: unknown };
  if (kty === "oct") return 'is a symmetric key (kty "oct"), expected a public key';
  const operation = [operations].flat().find((each) => PRIVATE_OPERATIONS.has(each));
  return operation === undefined
    ? undefined
    : `has the operation "${operation as string}" in "key_ops", expected a public key`;
}

function kidOf(key: object): string {
  const kid = "kid" in key && typeof key.kid === "string" ? key.kid.slice(0, 100) : undefined;
  return kid === undefined ? "" : ` (kid ${JSON.stringify(kid)})`;
}

function placeOf(parent: object, { name, place }: { readonly name: string; readonly place: string }): string {
  if (Array.isArray(parent)) return `${place}[${name}]`;
  return place === "" ? name : `${place}.${name}`;
}

function shown(value: unknown, place: string): unknown {
  if (typeof value === "string") return value.replaceAll(PRIVATE_BLOCK, "");
  if (Array.isArray(value)) return value.map((item, index) => shown(item, `${place}[${index}]`));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !(isInJwks(place) && PRIVATE_MEMBERS.has(name)));
  return Object.fromEntries(
    members.map(([name, member]) => [name, shown(member, placeOf(value, { name, place }))]),
  );
}
