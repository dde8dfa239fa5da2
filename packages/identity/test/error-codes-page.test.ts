/** docs/identity/error-codes.md lists all error codes with their status. Causes and remedies are written into the page itself. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { markdownTable, pagePath, tableRows } from "./reference-pages.js";

const PAGE = "error-codes.md";
const SOURCES = ["../src/", "../../identity-import/src/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Of each base class; errors of commands and of the process have none. */
const STATUS: Readonly<Record<string, string>> = {
  InvalidError: "400",
  PasswordRefusedError: "400",
  UnauthorizedError: "401",
  ForbiddenError: "403",
  NotFoundError: "404",
  ConflictError: "409",
  GoneError: "410",
  PreconditionError: "412",
  TooLargeError: "413",
  TooManyError: "429",
  UnavailableError: "503",
};

const INTRODUCTION = `# Error codes

Each kind of error has a code that lasts, while messages may change. The log has it as \`err.code\`, next to the request's id: at level
\`debug\` for errors that clients cause, \`warn\` for those that only the operator can remedy, \`error\` for status 500 and 503. Responses
have Keystone's status and message instead, and a failed login has no reason at all: [Failed logins](failed-logins.md). Codes without a
status are of commands and of the process.`;

it("has a cause and a remedy for every error code", async () => {
  const texts = new Map(
    tableRows(PAGE).map(([code = "", , cause = "", remedy = ""]) => [code, { cause, remedy }]),
  );
  const codes = SOURCES.flatMap(codesIn).toSorted((one, other) => (one.code < other.code ? -1 : 1));
  const areas = new Set(codes.map(({ code }) => areaOf(code)));
  const sections = [...areas].map((area) => {
    const rows = codes
      .filter(({ code }) => areaOf(code) === area)
      .map(({ code, status }) => {
        const { cause, remedy } = texts.get(`\`${code}\``) ?? { cause: "", remedy: "" };
        return [`\`${code}\``, status, cause, remedy];
      });
    return [`## ${area}`, markdownTable(["code", "status", "cause", "remedy"], rows)].join("\n\n");
  });
  await expect(`${[INTRODUCTION, ...sections].join("\n\n")}\n`).toMatchFileSnapshot(pagePath(PAGE));

  const untold = tableRows(PAGE).filter((row) => row[2] === "" || row[3] === "");
  expect(untold.map(([code]) => code)).toEqual([]);
});

function areaOf(code: string): string {
  return code.slice(0, code.indexOf("/"));
}

/** The codes of the error classes below a folder. */
function codesIn(folder: string): { readonly code: string; readonly status: string }[] {
  const found = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    for (const declaration of readFileSync(folder + path, "utf8")
      .split(/^(?:export )?(?:abstract )?class /m)
      .slice(1))
      for (const [code, base] of codesOf(declaration)) found.set(code, STATUS[base] ?? found.get(code) ?? "");
  }
  return Array.from(found, ([code, status]) => ({ code, status }));
}

/** @param declaration The text of a class behind `class`, and what follows it. */
function codesOf(declaration: string): [code: string, base: string][] {
  const own = /extends errorClass\(\s*(?<base>\w+),\s*"(?<code>[a-z0-9-]+\/[a-z0-9-]+)"/.exec(declaration);
  if (own?.index !== undefined && own.index < 100)
    return [[own.groups?.["code"] ?? "", own.groups?.["base"] ?? ""]];
  const missing = /^\w+ extends notFoundClass\(\s*"[^"]+",\s*"(?<code>[^"]+)"/.exec(declaration);
  if (missing !== null) return [[missing.groups?.["code"] ?? "", "NotFoundError"]];
  const [, name = "", base = ""] = /^(\w+) extends (\w+)/.exec(declaration) ?? [];
  const member = /^ {2}(?:override )?readonly code(?:: string)?(?: = |:\s+)(?<codes>[^;]+);/m.exec(
    declaration,
  );
  const codes = member?.groups?.["codes"]?.matchAll(/"([a-z0-9-]+\/[a-z0-9-]+)"/g) ?? [];
  return Array.from(codes, ([, code = ""]) => [code, Object.hasOwn(STATUS, name) ? name : base]);
}
