/** Hostile requests: valid requests of clients with arbitrary changes. */
import fc from "fast-check";

/** A request as `inject` takes it. */
export interface HostileRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | undefined;
}

/** What requests are made of. */
export interface Ingredients {
  /** Paths with `{parameters}`, each with a method. */
  readonly routes: readonly Route[];
  /** Ids of things that may be changed and deleted. */
  readonly ids: readonly string[];
  /** Good tokens, and one or the other that is none. */
  readonly tokens: readonly string[];
  /** Bodies that clients send. */
  readonly bodies: readonly object[];
}

export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Texts that have broken one program or another. */
const STRANGE_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u{d800}",
  "\u{dc00}a",
  "\u202e",
  "İ",
  "𝒳".repeat(64),
  "x".repeat(65),
  "x".repeat(256),
  "x".repeat(5000),
  "../../etc/passwd",
  "' or 1=1 --",
  "\\",
  "%",
  "_",
  "__proto__",
  "constructor",
  "toString",
  "$(tenant_id)s",
  "%(a)d",
  "null",
  "NaN",
  "-1",
  "1e999",
  "99999999999999999999",
  "2026-13-45T99:99:99Z",
  "lte:2026-01-01T00:00:00Z",
];

/** Parts of a path that are no UTF-8, or no escapes. */
const STRANGE_PARTS = ["%ff%fe", "%c0%80", "%ed%a0%80", "%zz", "%", "%2e%2e", "%2f", "..", ";", "a%0d%0ab"];

const STRANGE_PAYLOADS = [
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "\uFEFF{}",
  '{"user": {"name": "a", "name": "b", "domain_id": "default"}}',
  '{"project": {"__proto__": {"enabled": false}, "name": "prototype"}}',
  '{"user": {"constructor": {"prototype": {"polluted": true}}, "name": "constructor"}}',
  '{"region": {"description": "\\ud800"}}',
  '{"project": {"name": "a\\u0000b"}}',
  '{"auth": ' + "[".repeat(20_000),
  "{" + '"a":{'.repeat(5000),
  '{"region": {"id": 1e999}}',
  "x".repeat(200_000),
];

const QUERY_NAMES = (
  "limit marker sort_key name enabled domain_id parent_id id is_domain name__contains name__nope " +
  "enabled__icontains tags not-tags-any parents_as_list subtree_as_ids effective include_names " +
  "scope.project.id user.id role.id nocatalog password_expires_at include_subtree scope.system " +
  "scope.OS-INHERIT:inherited_to __proto__"
).split(" ");

const strangeText = fc.oneof(fc.constantFrom(...STRANGE_TEXTS), fc.string({ unit: "binary", maxLength: 20 }));

const strangeValue = fc.oneof(
  strangeText,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, true, false, null),
  fc.constant(nested(300)),
  fc.array(strangeText, { maxLength: 90 }),
);

/** Any request to any route. */
export function hostileRequests({ routes, ids, tokens, bodies }: Ingredients): fc.Arbitrary<HostileRequest> {
  const knownId = fc.constantFrom(...ids);
  const part = fc.oneof(
    { weight: 4, arbitrary: knownId },
    { weight: 2, arbitrary: strangeText.map(escaped) },
    { weight: 1, arbitrary: fc.constantFrom(...STRANGE_PARTS) },
  );
  const query = fc.array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...QUERY_NAMES), strangeText),
      fc.option(fc.oneof(knownId, strangeText, fc.constantFrom("true", "0", "all", "1"))),
    ),
    { maxLength: 3 },
  );
  const token = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...tokens) },
    { weight: 1, arbitrary: headerText },
  );
  return fc
    .record({
      route: fc.constantFrom(...routes),
      parts: fc.array(part, { minLength: 6, maxLength: 6 }),
      query,
      // Mostly with a token that counts: what lies behind the guard is worth more tries than the guard.
      token: fc.oneof(
        { weight: 8, arbitrary: fc.constant(tokens[0] ?? "") },
        { weight: 1, arbitrary: token },
      ),
      subject: fc.option(token),
      others: fc.dictionary(
        fc.constantFrom("accept", "x-forwarded-for", "origin", "if-none-match", "cookie", "x-service-token"),
        headerText,
        { maxKeys: 2 },
      ),
      type: fc.oneof(
        { weight: 8, arbitrary: fc.constant("application/json") },
        {
          weight: 1,
          arbitrary: fc.constantFrom("text/plain", "application/json; charset=utf-16", "a/b;c", "", "json"),
        },
      ),
      body: fc.oneof(
        { weight: 8, arbitrary: changedBodies(bodies, ids) },
        { weight: 1, arbitrary: fc.constantFrom(...STRANGE_PAYLOADS) },
      ),
    })
    .map(({ route, parts, query: pairs, token: own, subject, others, type, body }) => ({
      method: route.method.toUpperCase(),
      url: pathOf(route.path, parts) + queryOf(pairs),
      headers: {
        ...others,
        "x-auth-token": own,
        ...(subject === null ? {} : { "x-subject-token": subject }),
        ...(type === "" ? {} : { "content-type": type }),
      },
      payload: ["GET", "HEAD", "DELETE"].includes(route.method.toUpperCase()) ? undefined : body,
    }));
}

const headerText = fc.string({ unit: "grapheme-ascii", maxLength: 40 }).map((text) => text.trim());

function pathOf(path: string, parts: readonly string[]): string {
  let index = 0;
  return path.replace(/\{[^}]+\}|\*/g, () => parts[index++ % parts.length] ?? "");
}

function queryOf(pairs: readonly (readonly [string, string | null])[]): string {
  const texts = pairs.map(([name, value]) => escaped(name) + (value === null ? "" : `=${escaped(value)}`));
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

/** Every byte by its number, and half a character by the sign for one. */
function escaped(text: string): string {
  return Buffer.from(text)
    .toString("hex")
    .replace(/../g, (byte) => `%${byte}`);
}

/** Bodies that clients send, changed in up to three places. */
function changedBodies(bodies: readonly object[], ids: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({
    place: fc.nat(),
    kind: fc.constantFrom("replace", "replace", "remove", "add"),
    name: fc.oneof(fc.constantFrom("id", "name", "domain_id", "options", "enabled", "tags"), strangeText),
    value: fc.oneof(strangeValue, fc.constantFrom(...ids)),
  });
  return fc
    .tuple(fc.constantFrom(...bodies), fc.array(edit, { maxLength: 3 }))
    .map(([body, edits]) => JSON.stringify(edits.reduce<unknown>(edited, structuredClone(body))));
}

interface Edit {
  readonly place: number;
  readonly kind: string;
  readonly name: string;
  readonly value: unknown;
}

function edited(body: unknown, { place, kind, name, value }: Edit): unknown {
  const places = placesIn(body);
  const found = places[place % places.length];
  if (found === undefined) return value;
  const [container, key] = found;
  if (kind === "remove") Reflect.deleteProperty(container, key);
  else Reflect.set(container, kind === "add" ? name : key, structuredClone(value));
  return body;
}

/** Each member of a value, with what it is a member of. */
function placesIn(value: unknown): [container: object, key: string][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.keys(value).map((key): [object, string] => [value, key]);
  return own.concat(Object.values(value).flatMap(placesIn));
}

function nested(depth: number): unknown {
  return depth === 0 ? {} : [nested(depth - 1)];
}
