/** Whether YAML is nested too deep to be parsed: the parser is recursive, and near the end of the stack V8 may end the process. */
import { Lexer } from "yaml";

/** Brackets in each other, indicators on a line, and columns of indentation, each of which may be a level. */
const MOST = { brackets: 50, indicators: 50, columns: 200 };

/** The token before a text without quotes. */
const SCALAR_FOLLOWS = "\u001f";

export function isYamlTooDeep(text: string): boolean {
  let brackets = 0;
  let indicators = 0;
  let before = "";
  for (const token of new Lexer().lex(text)) {
    const isIndicator = before !== SCALAR_FOLLOWS;
    before = token;
    if (!isIndicator) continue;
    if (token === "[" || token === "{") brackets++;
    else if (token === "]" || token === "}") brackets--;
    else if (/^\r?\n/.test(token)) indicators = 0;
    else if (brackets === 0 && /^[-?:]$/.test(token)) indicators++;
    const isFarRight = token.length > MOST.columns && token.trim() === "";
    if (brackets > MOST.brackets || indicators > MOST.indicators || isFarRight) return true;
  }
  return false;
}
