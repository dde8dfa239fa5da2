/** Compares the bodies of two responses. Ids must be equal; the addresses of the services may differ, and lists are sets. */

export interface ValueDifference {
  /** `projects/3b42.../description` */
  readonly path: string;
  /** As JSON; `undefined` where the member or item is absent. */
  readonly source: string | undefined;
  readonly target: string | undefined;
}

/** Members whose values are not shown. */
const SECRET = new Set(["blob", "secret", "password", "client_secret"]);
const MAX_SHOWN = 200;

export function differencesOf(source: unknown, target: unknown, path = ""): ValueDifference[] {
  if (isObject(source) && isObject(target)) {
    const [one, other] = [membersOf(source), membersOf(target)];
    const names = [...new Set([...one.keys(), ...other.keys()])];
    return names.flatMap((name) =>
      differencesOf(one.get(name), other.get(name), path === "" ? name : `${path}/${name}`),
    );
  }
  const [from, to] = [source, target].map((value) => plain(value, path));
  return from === to ? [] : [{ path, source: shown(from, path), target: shown(to, path) }];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The members of an object; the items of a list by their ids, or in the order of their texts, each once. */
function membersOf(value: object): Map<string, unknown> {
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const byText = new Map((value as readonly unknown[]).map((item) => [canonical(item), item]));
  const items = [...byText].toSorted(([one], [other]) => compareTexts(one, other)).map(([, item]) => item);
  const byId = new Map(items.map((item, index) => [idOf(item) ?? String(index), item]));
  const haveIds = byId.size === items.length && items.every((item) => idOf(item) !== undefined);
  return haveIds ? byId : new Map(items.map((item, index) => [String(index), item]));
}

function idOf(item: unknown): string | undefined {
  const id = isObject(item) ? (item as { readonly id?: unknown }).id : undefined;
  return typeof id === "string" ? id : undefined;
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** JSON with the members in the order of their names. */
function canonical(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value) ?? "";
  const members = [...membersOf(value)].toSorted(([one], [other]) => compareTexts(one, other));
  return `{${members.map(([name, member]) => `${name}:${canonical(member)}`).join(",")}}`;
}

/** A value as JSON; links without the address of the service. */
function plain(value: unknown, path: string): string | undefined {
  const isLink = typeof value === "string" && /(?:^|\/)links\//.test(path);
  return JSON.stringify(isLink ? value.replace(/^https?:\/\/[^/]+(?:\/.*?)?(?=\/v3(?:\/|$|\?))/, "") : value);
}

function shown(text: string | undefined, path: string): string | undefined {
  if (text === undefined) return undefined;
  if (path.split("/").some((name) => SECRET.has(name))) return "(secret)";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
