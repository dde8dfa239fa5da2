/**
 * `password_regex`: what a password has to look like, as a regular expression of Python's that must match from the first character.
 *
 * RE2 decides, in time that grows with the length of the password alone. It has no look-ahead, which such expressions are
 * made of: `^(?=.*\d)(?=.*[a-z]).{7,}$`. Those at the start are conditions on the whole text, each of which is an
 * expression of its own here. Others are refused.
 */
import { RE2JS } from "re2js";

/** Tells whether a password looks as it should. */
export type PasswordPattern = (password: string) => boolean;

/** A part of an expression, which has to match at the start of the text, or must not. */
interface Condition {
  readonly source: string;
  readonly mustMatch: boolean;
}

/** The expression can't be used. */
export class PasswordPatternError extends Error {
  override readonly name = "PasswordPatternError";
  readonly code = "password-pattern/unsupported";
  readonly pattern: string;

  constructor(pattern: string, reason: string, options?: ErrorOptions) {
    super(`password_regex: ${JSON.stringify(pattern)} can't be used: ${reason}`, options);
    this.pattern = pattern;
  }
}

/**
 * The test that an expression means.
 *
 * @throws {PasswordPatternError} It is no regular expression, or has look-around elsewhere than at the start, or references back.
 */
export function compilePasswordPattern(pattern: string): PasswordPattern {
  const conditions = splitConditions(pattern).map(({ source, mustMatch }) => {
    const compiled = compile(source, pattern);
    return (password: string) => compiled.matcher(password).lookingAt() === mustMatch;
  });
  return (password) => conditions.every((holds) => holds(password));
}

function compile(source: string, pattern: string): RE2JS {
  try {
    // Python's \Z is the very end, for which RE2 has \z.
    return RE2JS.compile(
      source.replaceAll(/\\([\s\S])/g, (escaped, letter) => (letter === "Z" ? "\\z" : escaped)),
    );
  } catch (cause) {
    throw new PasswordPatternError(pattern, cause instanceof Error ? cause.message : "it is not understood", {
      cause,
    });
  }
}

/** The look-aheads at the start, and the rest. */
function splitConditions(pattern: string): Condition[] {
  const [flags = ""] = /^\(\?[aims]+\)/.exec(pattern) ?? [];
  let rest = pattern.slice(flags.length).replace(/^(?:\^|\\A)/, "");
  const conditions: Condition[] = [];
  for (let end = endOfLookahead(rest); end > 0; end = endOfLookahead(rest)) {
    conditions.push({ source: `${flags}(?:${rest.slice(3, end - 1)})`, mustMatch: rest[2] === "=" });
    rest = rest.slice(end);
  }
  if (conditions.length === 0) return [{ source: pattern, mustMatch: true }];
  if (hasAlternatives(rest))
    throw new PasswordPatternError(pattern, "its look-aheads belong to one of several alternatives");
  return [...conditions, { source: flags + rest, mustMatch: true }];
}

/** Where a look-ahead at the start of the text ends; 0 if there is none. */
function endOfLookahead(text: string): number {
  if (!/^\(\?[=!]/.test(text)) return 0;
  for (const { depth, index } of walk(text)) if (depth === 0) return index + 1;
  return 0;
}

function hasAlternatives(text: string): boolean {
  for (const { depth, character } of walk(text)) if (depth === 0 && character === "|") return true;
  return false;
}

/** The characters that mean something, outside of escapes and classes, with the number of groups open behind each. */
function* walk(text: string): Generator<{ character: string; depth: number; index: number }> {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token.length === 1) yield { character: token, depth, index };
  }
}
