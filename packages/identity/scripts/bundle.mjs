/**
 * Makes dist/hamkit-identity.js, which operators start, and the files that it loads, most of them on demand: a dozen instead of a
 * thousand, so that the service starts in half the time and needs a third less memory. Native packages, and those that need files of
 * their own, stay packages. Does nothing if nothing is newer than the last bundle.
 */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { isOlder } from "../../../scripts/older.mjs";
import { thirdPartyNotice } from "../../../scripts/third-party.mjs";
import { isCompiled, NAME, THREADS } from "./compiled.mjs";
import { copyConsole } from "./copy-console.mjs";

/** What the package identity-import shares with the program, by the names in package.json. */
const IMPORT_SUPPORT = ["api-rules", "command-line", "storage"];
/** Also those that only some services need, which operators install. */
const NATIVE = ["libsql", "@node-rs/argon2", "@node-rs/bcrypt", "pg-native", "koffi"];
/** What Fastify would load without compilers of the service. */
const UNUSED = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler"];
/** Starts threads from files of its own. */
const WITH_FILES = ["piscina"];
/** For packages that are not modules yet, and ask for the parts of Node by `require`. */
const REQUIRE = `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`;

const folder = fileURLToPath(new URL("..", import.meta.url));
/** Written at last. */
const notice = `${folder}dist/THIRD-PARTY-LICENSES.txt`;
const sources = ["dist", "scripts", "package.json", "../../package-lock.json"].map((path) => folder + path);
const isSource = (path) => path.includes("/scripts/") || isCompiled(path);
if (!existsSync(`${folder}dist/${NAME}.js`) || isOlder(notice, sources, isSource)) await bundle();
copyConsole();

async function bundle() {
  for (const file of readdirSync(`${folder}dist`))
    if ([NAME, ...Object.keys(THREADS)].some((name) => file.startsWith(name)))
      rmSync(`${folder}dist/${file}`);
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [
      { in: "dist/main.js", out: NAME },
      ...Object.entries(THREADS).map(([thread, path]) => ({ in: `dist/${path}/${thread}.js`, out: thread })),
      ...IMPORT_SUPPORT.map((name) => ({ in: `dist/import-support/${name}.js`, out: `${NAME}-${name}` })),
    ],
    outdir: "dist",
    bundle: true,
    // What is imported on demand is a file of its own.
    splitting: true,
    chunkNames: `${NAME}-[hash]`,
    minifySyntax: true,
    minifyWhitespace: true,
    // THIRD-PARTY-LICENSES.txt has them.
    legalComments: "none",
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: [...NATIVE, ...WITH_FILES, ...UNUSED],
    alias: { "whatwg-url": `${folder}scripts/whatwg-url.mjs` },
    banner: { js: REQUIRE },
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
  });
  for (const file of Object.keys(metafile.outputs)) {
    if (!file.endsWith(".js")) continue;
    const code = readFileSync(`${folder}${file}`, "utf8");
    requireAscii(file, code);
    requireErrorNames(file, code);
  }
  writeFileSync(notice, thirdPartyNotice(metafile, folder));
}

/** V8 keeps a text with a single character beyond Latin-1 in two bytes for each: 4 MB more in every process. */
function requireAscii(file, code) {
  const found = /[^\n]{0,40}[^\0-\x7F][^\n]{0,40}/.exec(code);
  if (found !== null) throw new Error(`${file} is not ASCII: ${found[0]}`);
}

/**
 * Errors are logged by the names of their classes. esbuild numbers a name that another module has too; its option `keepNames`
 * restores the names at a tenth of the processor time of a request.
 */
function requireErrorNames(file, code) {
  const found = /\b\w*Error\d+=class extends errorClass/.exec(code);
  if (found !== null) throw new Error(`${file}: two classes have the name of ${found[0]}`);
}
