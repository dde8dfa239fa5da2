/**
 * Compiles and runs the examples of doc comments and documents against the built packages.
 *
 * An example is an `@example` of a doc comment, or a fenced block of language `ts` in a Markdown file. Public names are
 * imported automatically in doc comments, while a block of a Markdown file has its own imports: readers paste it alone. A statement on one line that ends in `// => VALUE` must have that value. Blocks of `ts no-run`,
 * which need a network or never end, are only compiled.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { root, run } from "./prepare.mjs";

const folder = `${root}.examples/`;

/** The modules that a public name is imported from; the first one that exports it. */
const MODULES = [
  "hamkit/callinfo",
  "hamkit/lookuplib",
  "hamkit/lookup",
  "hamkit/locator",
  "hamkit/frequency",
  "hamkit/logs",
  "hamkit/map",
  "hamkit/qsl",
  "hamkit/adif",
  "hamkit/awards",
  "hamkit/contest",
  "hamkit/merge",
  "hamkit/moon",
  "hamkit/n1mm",
  "hamkit/satellites",
  "hamkit/uploads",
  "hamkit/scp",
  "hamkit/spots",
  "hamkit/wsjtx",
  "hamkit/zones",
  "hamkit/places",
  "hamkit/references",
  "hamkit/feeds",
  "hamkit/errors",
  "@hamkit/country-data",
];

/** Compiles and runs every example; reports each failure. */
export async function checkExamples() {
  const examples = [...fromDocComments(), ...fromMarkdown()];
  const homes = await homesOfNames();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, { code, isWhole = false }] of examples.entries())
    writeFileSync(`${folder}example-${index}.ts`, toModule(code, isWhole ? new Map() : homes));
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify(TSCONFIG));
  writeFileSync(`${folder}package.json`, JSON.stringify({ type: "module" }));

  const compiler = run("node", ["node_modules/typescript-7/bin/tsc", "-p", folder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const faults = compiler.stdout.split("\n").filter((line) => line.includes("error TS"));
  let failed = 0;
  for (const [index, { where, isRun = true }] of examples.entries()) {
    const fault =
      faults.find((line) => line.includes(`example-${index}.ts`)) ?? (isRun ? runExample(index) : undefined);
    if (fault === undefined) continue;
    failed++;
    console.error(`Example ${where}: ${fault}`);
  }
  return { passed: examples.length - failed, failed: examples.length === 0 ? 1 : failed };
}

const TSCONFIG = {
  extends: "../tsconfig.base.json",
  compilerOptions: {
    composite: false,
    declarationMap: false,
    noUnusedLocals: false,
    outDir: "out",
    rootDir: ".",
    types: ["node"],
  },
  include: ["*.ts"],
};

function runExample(index) {
  const { status, stderr } = run(process.execPath, ["--no-deprecation", `${folder}out/example-${index}.js`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return status === 0 ? undefined : stderr.trim();
}

/** Examples of the libraries only: the service has no public modules. */
function* fromDocComments() {
  for (const path of files(/^packages\/(?:hamkit|country-data)\/src\/.*\.ts$/)) {
    const text = readFileSync(root + path, "utf8");
    for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
      const plain = comment.replace(/\s*\*\/$/, "").replaceAll(/^\s*\* ?/gm, "");
      for (const [, code = ""] of plain.matchAll(/^@example\s*\n([\s\S]*?)(?=^@[a-z]|$(?![\s\S]))/gm)) {
        yield { where: `in ${path}`, code: code.replaceAll(/^```.*$/gm, "") };
      }
    }
  }
}

function* fromMarkdown() {
  for (const path of files(/^(?:[^/]+|docs\/.+|packages\/[^/]+\/[^/]+)\.md$/)) {
    const text = readFileSync(root + path, "utf8");
    for (const { 1: flag, 2: code = "", index } of text.matchAll(/^```ts( no-run)?\n([\s\S]*?)^```$/gm)) {
      yield {
        where: `in ${path}:${text.slice(0, index).split("\n").length}`,
        code,
        isRun: flag === undefined,
        isWhole: true,
      };
    }
  }
}

/** Paths below the root that match, with slashes. */
function files(pattern) {
  const below = ["packages", "docs"].flatMap((top) =>
    readdirSync(root + top, { recursive: true }).map((path) => `${top}/${path.replaceAll("\\", "/")}`),
  );
  return [...readdirSync(root), ...below].filter(
    (path) => pattern.test(path) && !path.includes("node_modules/"),
  );
}

async function homesOfNames() {
  const homes = new Map();
  for (const specifier of MODULES) {
    for (const name of Object.keys(await import(specifier))) if (!homes.has(name)) homes.set(name, specifier);
  }
  return homes;
}

function toModule(code, homes) {
  const imported = new Set(
    [...code.matchAll(/^import\s+(?:type\s+)?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
      names.match(/\w+/g),
    ),
  );
  const imports = [...homes]
    .filter(([name]) => !imported.has(name) && new RegExp(`(?<![.\\w"])${name}\\b`).test(code))
    .map(([name, specifier]) => `import { ${name} } from "${specifier}";`);
  const body = code.split("\n").map(withCheck).join("\n");
  return `import { deepStrictEqual as assertEqual } from "node:assert";\n${imports.join("\n")}\n${body}\nexport {};\n`;
}

/** `area("W6"); // => 6` becomes a comparison; so does a declaration, after itself. */
function withCheck(line) {
  const [, statement, value] = /^(.*?);?\s*\/\/ => (.+)$/.exec(line) ?? [];
  if (statement === undefined) return line;
  const [, name] = /^\s*(?:const|let)\s+(\w+)/.exec(statement) ?? [];
  return name === undefined
    ? `assertEqual(${statement.trim()}, ${value});`
    : `${statement};\nassertEqual(${name}, ${value});`;
}
