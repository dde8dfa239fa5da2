/**
 * `password_regex`: a Python regular expression that a password must match from its first character.
 *
 * RE2 matches in linear time, but has no look-aheads, which these expressions typically use: `^(?=.*\d)(?=.*[a-z]).{7,}$`.
 * Look-aheads at the start are conditions on the whole text and compile to expressions of their own. Others are rejected.
 */
import { RE2JS } from "re2js";

/** Whether a password matches. */
export type PasswordPattern = (password: string) => boolean;

/** A part of an expression that must, or must not, match at the start of the text. */
interface Condition {
  readonly source: string;
  readonly mustMatch: boolean;
}

/** The expression is invalid or not supported. */
export class PasswordPatternError extends Error {
  override readonly name = "PasswordPatternError";
  readonly code = "password-pattern/unsupported";
  readonly pattern: string;

  constructor(pattern: string, reason: string, options?: ErrorOptions) {
    super(`password_regex: unsupported pattern ${JSON.stringify(pattern)}: ${reason}`, options);
    this.pattern = pattern;
  }
}

/** @throws {PasswordPatternError} The expression is invalid, or has backreferences, or lookarounds other than at the start. */
export function compilePasswordPattern(pattern: string): PasswordPattern {
  const conditions = splitConditions(pattern).map(({ source, mustMatch }) => {
    const compiled = compile(source, pattern);
    return (password: string) => compiled.matcher(password).lookingAt() === mustMatch;
  });
  return (password) => conditions.every((holds) => holds(password));
}

function compile(source: string, pattern: string): RE2JS {
  try {
    // Python's \Z is RE2's \z.
    return RE2JS.compile(
      source.replaceAll(/\\([\s\S])/g, (escaped, letter) => (letter === "Z" ? "\\z" : escaped)),
    );
  } catch (cause) {
    throw new PasswordPatternError(pattern, cause instanceof Error ? cause.message : "syntax error", {
      cause,
    });
  }
}

/** Splits off the look-aheads at the start. */
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
    throw new PasswordPatternError(pattern, "look-aheads followed by alternatives (|) are not supported");
  return [...conditions, { source: flags + rest, mustMatch: true }];
}

/** The end of a look-ahead at the start of the text; 0 if none. */
function endOfLookahead(text: string): number {
  if (!/^\(\?[=!]/.test(text)) return 0;
  for (const { depth, index } of walk(text)) if (depth === 0) return index + 1;
  return 0;
}

function hasAlternatives(text: string): boolean {
  for (const { depth, character } of walk(text)) if (depth === 0 && character === "|") return true;
  return false;
}

/** The characters outside escapes and classes, with the number of open groups behind each. */
function* walk(text: string): Generator<{ character: string; depth: number; index: number }> {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token.length === 1) yield { character: token, depth, index };
  }
}
