/**
 * Parses rules in oslo.policy's language: `role:admin or (role:manager and domain_id:%(target.user.domain_id)s)`, and the older
 * lists, of which the outer means "or" and the inner "and".
 *
 * Nothing throws: what can't be read becomes a part that denies and says why.
 *
 * @see https://docs.openstack.org/oslo.policy/latest/reference/api/oslo_policy.policy.html
 */
import type { PolicyRule } from "./rule.js";

/** Characters of one rule. */
const MAX_CHARACTERS = 64 << 10;

/** Parentheses and negations around a check. */
const MAX_DEPTH = 100;

const ALLOW: PolicyRule = { kind: "allow" };
const DENY: PolicyRule = { kind: "deny" };

/** @param text Empty text allows everybody, as in oslo.policy; files may not have it. */
export function parseRule(text: string): PolicyRule {
  if (text === "") return ALLOW;
  if (text.length > MAX_CHARACTERS)
    return unreadable(text, `${text.length} characters, expected at most ${MAX_CHARACTERS}`);
  try {
    return parseTokens(tokensOf(text));
  } catch (error) {
    if (error instanceof Unparsable) return unreadable(text, error.message);
    throw error;
  }
}

/** Parses the older form. Its items are single checks: operators and parentheses have no meaning in them. */
export function parseRuleList(list: readonly (string | readonly string[] | null)[]): PolicyRule {
  if (list.length === 0) return ALLOW;
  const alternatives = list
    .filter((item) => item !== null && item.length > 0)
    .map((item) => (typeof item === "string" ? [item] : (item ?? [])))
    .map((checks) => joined("all", checks.map(parseCheck)));
  return alternatives.length === 0 ? DENY : joined("any", alternatives);
}

class Unparsable extends Error {}

type Token = "(" | ")" | "and" | "or" | "not" | { readonly check: string };

/** Tokens stand between white space; parentheses only at their edges, so `role:a(b)` has one at its end. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const word of text.split(WHITE_SPACE)) {
    if (word === "") continue;
    const opened = word.replace(/^\(+/, "");
    const inner = withoutClosing(opened);
    for (let count = word.length - opened.length; count > 0; count--) tokens.push("(");
    const operator = inner.toLowerCase();
    if (operator === "and" || operator === "or" || operator === "not") tokens.push(operator);
    else if (inner !== "") tokens.push({ check: inner });
    for (let count = opened.length - inner.length; count > 0; count--) tokens.push(")");
  }
  return tokens;
}

/** What Python's `str.split` splits at. */
const WHITE_SPACE = new RegExp(String.raw`[\s\u001c-\u001f\u0085]+`, "u");

/** A loop, as a pattern anchored only at the end takes quadratic time. */
function withoutClosing(word: string): string {
  let end = word.length;
  while (word.charAt(end - 1) === ")") end--;
  return word.slice(0, end);
}

function parseTokens(tokens: readonly Token[]): PolicyRule {
  let position = 0;
  let depth = 0;
  const readAny = (): PolicyRule => readJoined("any", "or", readAll);
  const readAll = (): PolicyRule => readJoined("all", "and", readOne);
  const whole = readAny();
  if (position < tokens.length) throw new Unparsable(`${nextToken()} is not expected`);
  return whole;

  function readJoined(kind: "any" | "all", operator: Token, read: () => PolicyRule): PolicyRule {
    const parts = [read()];
    while (tokens[position] === operator) {
      position++;
      parts.push(read());
    }
    return joined(kind, parts);
  }

  function readOne(): PolicyRule {
    if (++depth > MAX_DEPTH) throw new Unparsable(`more than ${MAX_DEPTH} levels`);
    const token = tokens[position];
    const rule = token === "not" ? readNot() : token === "(" ? readParenthesized() : readCheck(token);
    depth--;
    return rule;
  }

  function readNot(): PolicyRule {
    position++;
    return { kind: "not", of: readOne() };
  }

  function readParenthesized(): PolicyRule {
    position++;
    const inner = readAny();
    if (tokens[position] !== ")") throw new Unparsable(`${nextToken()} where ")" is expected`);
    position++;
    return inner;
  }

  function readCheck(token: Token | undefined): PolicyRule {
    if (typeof token !== "object") throw new Unparsable(`${nextToken()} where a check is expected`);
    if (isQuoted(token.check)) throw new Unparsable(`${nextToken()} is a text in quotes, expected a check`);
    position++;
    return parseCheck(token.check);
  }

  function nextToken(): string {
    const token = tokens[position];
    if (token === undefined) return "the end";
    return `"${shown(typeof token === "string" ? token : token.check)}"`;
  }
}

function joined(kind: "any" | "all", parts: readonly PolicyRule[]): PolicyRule {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind, of: parts };
}

function isQuoted(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

function parseCheck(text: string): PolicyRule {
  if (text === "@") return ALLOW;
  if (text === "!") return DENY;
  const colon = text.indexOf(":");
  if (colon === -1) return unreadable(text, `"${shown(text)}" is no check, expected one such as role:admin`);
  const left = text.slice(0, colon);
  const right = text.slice(colon + 1);
  if (left === "rule") return { kind: "rule", name: right };
  if (left === "role") return { kind: "role", role: right };
  if (left === "http" || left === "https") return { kind: "remote", url: text };
  return { kind: "compare", left, right };
}

function unreadable(text: string, reason: string): PolicyRule {
  return { kind: "unreadable", text: shown(text), reason };
}

function shown(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}...`;
}
