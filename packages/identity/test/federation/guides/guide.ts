/** The guides in docs/identity/providers: their blocks by name, and the log reasons that they list. */
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../../../docs/identity/providers/", import.meta.url);

export interface Guide {
  /** Such as `keycloak`. */
  readonly name: string;
  readonly text: string;
  /** The text of a block: ```` ```json rules ```` is `rules`. @throws The block does not exist. */
  block(name: string): string;
  has(name: string): boolean;
  /** The first column of the tables of OpenID Connect, and of SAML. */
  readonly reasons: { readonly openid: readonly string[]; readonly saml2: readonly string[] };
}

/** The guides that have blocks of a name: those of other kinds of providers have others. */
export function guidesWith(block: string): readonly Guide[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".md"))
    .map((file) => readGuide(file))
    .filter((guide) => guide.has(block));
}

function readGuide(file: string): Guide {
  const text = readFileSync(new URL(file, FOLDER), "utf8");
  const found = text.matchAll(/^```(?:json|sh|xml) ([\w-]+)\n([\s\S]*?)^```$/gm);
  const blocks = new Map(Array.from(found, ([, name = "", body = ""]) => [name, body]));
  const [openid = "", saml2 = ""] = text.split("\n## With SAML\n");
  return {
    name: file.replace(".md", ""),
    text,
    has: (name) => blocks.has(name),
    block(name) {
      const body = blocks.get(name);
      if (body === undefined) throw new Error(`${file} has no block ${name}`);
      return body;
    },
    reasons: { openid: reasonsIn(openid), saml2: reasonsIn(saml2) },
  };
}

function reasonsIn(part: string): readonly string[] {
  const [, section = ""] = part.split("When it does not work\n");
  // What the provider itself answers is a section of its own.
  const [table = ""] = section.split("\n## ");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, cell = ""] = row.split("|");
    return cell.trim().replaceAll("`", "");
  });
}
