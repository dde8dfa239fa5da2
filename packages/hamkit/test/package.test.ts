import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../", import.meta.url));
const { exports, files } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
  exports: Record<
    string,
    string | { require: { types: string; default: string }; types: string; default: string }
  >;
  files: string[];
};
const targets = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [{ name, ...target }],
);

/** What programs import: the modules of this package, and the data of the other. */
const specifiers = [...targets.map(({ name }) => name.replace(".", "hamkit")), "@hamkit/country-data"];

/** Built by `npm run build`. */
const isBuilt = existsSync(join(folder, "dist/index.js"));

describe("the package", () => {
  it.each(targets)("has types for import and require of $name", ({ require, types, default: code }) => {
    expect(types).toBe(code.replace(/\.js$/, ".d.ts"));
    expect(require).toEqual({
      types: code.replace(/\.js$/, ".d.cts"),
      default: code.replace(/\.js$/, ".cjs"),
    });
  });

  it("re-exports every module but the deprecated one from its root", async () => {
    const root = (await import("../src/index.js")) as Record<string, unknown>;
    for (const { name, default: path } of targets) {
      if (name === "." || name === "./utils") continue;
      const module = (await import(path.replace("./dist/", "../src/").replace(/\.js$/, ".ts"))) as object;
      for (const [key, value] of Object.entries(module))
        expect({ name, key, value: root[key] }).toEqual({ name, key, value });
    }
  });
});

describe.skipIf(!isBuilt)("the built package", () => {
  it("ships no declaration maps, whose sources are not shipped", () => {
    const maps = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".d.ts.map"),
    );
    expect(maps).toEqual([]);
    expect(files).toContain("!dist/cli/**/*.d.ts");
  });

  it("ships the licenses of its data", () => {
    const notice = readFileSync(join(folder, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    expect(notice).toContain("Copyright (c) 2024 HB9HIL");
    expect(notice).toContain("Copyright (c) 2024 Peter Goodhall");
  });

  it("is the same module for require and import", () => {
    const program = `
      const assert = require("node:assert");
      for (const name of ${JSON.stringify(specifiers)})
        import(name).then((module) => assert.deepEqual({ ...require(name) }, { ...module }));`;
    const { status, stderr } = spawnSync(process.execPath, ["-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });

  it("finds its types in a .cts file with module node16", () => {
    const path = join(folder, "test/program.cts");
    const text = specifiers
      .map((name, index) => `import * as module${index} from "${name}";\nmodule${index};\n`)
      .concat(
        `import { calculateDistance } from "hamkit";\nexport const km: string = calculateDistance("JN48", "FN31");\n`,
      )
      .join("");
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(folder, "../../node_modules/@types")],
    };
    const host = ts.createCompilerHost(options);
    const disk = { ...host };
    host.fileExists = (name) => name === path || disk.fileExists(name);
    host.readFile = (name) => (name === path ? text : disk.readFile(name));
    host.getSourceFile = (name, ...rest) =>
      name === path
        ? ts.createSourceFile(name, text, ...(rest.slice(0, 1) as [ts.ScriptTarget]))
        : disk.getSourceFile(name, ...rest);
    const program = ts.createProgram([path], options, host);
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    // The one mistake of the program, so the types are there.
    expect(messages).toEqual(["Type 'number' is not assignable to type 'string'."]);
  }, 60_000);

  /** Bytes that a page loads before it runs, of a program that imports one name. */
  async function loadedBytes(name: string, from: string, splitting: boolean): Promise<number> {
    const contents = `import { ${name} } from "${from}"; globalThis.used = ${name};`;
    const { metafile, warnings } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      splitting,
      format: "esm",
      minify: true,
      outdir: "out",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    const pending = Object.keys(metafile.outputs).filter(
      (output) => metafile.outputs[output]?.entryPoint === "<stdin>",
    );
    expect(pending).toHaveLength(1);
    const loaded = new Set<string>();
    let bytes = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const output = metafile.outputs[next];
      if (loaded.has(next) || output === undefined) continue;
      loaded.add(next);
      bytes += output.bytes;
      pending.push(
        ...output.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path),
      );
    }
    return bytes;
  }

  /** Each public name and the subpath that it has of its own. */
  async function publicNames(): Promise<{ name: string; from: string }[]> {
    const names = new Map<string, string>();
    for (const { name: subpath, default: path } of targets) {
      if (subpath === "." || subpath === "./utils") continue;
      const module = (await import(path.replace("./dist/", "../src/").replace(/\.js$/, ".ts"))) as object;
      for (const name of Object.keys(module)) names.set(name, subpath.replace(".", "hamkit"));
    }
    return Array.from(names, ([name, from]) => ({ name, from }));
  }

  /** Names whose code is in one chunk load the same chunks: the first of each. */
  function firstOfEachChunk(): string[] {
    return [...readFileSync(join(folder, "dist/index.js"), "utf8").matchAll(/"(\.\/[^"]+)"/g)].map(
      ([, path = ""]) => / as (\w+)/.exec(readFileSync(join(folder, "dist", path), "utf8"))?.[1] ?? path,
    );
  }

  it("loads no more of identify through the root than through its subpath: 90 kB were 10", async () => {
    for (const splitting of [false, true])
      expect(await loadedBytes("identify", "hamkit", splitting)).toBeLessThan(
        1.2 * (await loadedBytes("identify", "hamkit/lookup", splitting)),
      );
  });

  it("leaves unused modules out of what esbuild makes of the root when it splits code, for a name of each chunk", async () => {
    const names = await publicNames();
    const firsts = firstOfEachChunk();
    expect(firsts.length).toBeGreaterThan(20);
    for (const first of firsts) {
      const from = names.find(({ name }) => name === first)?.from ?? "none";
      const [root, own] = await Promise.all([
        loadedBytes(first, "hamkit", true),
        loadedBytes(first, from, true),
      ]);
      // esbuild doesn't take apart a file that both the page and a module loaded on demand use: a constant brings the rest of it.
      expect({ first, root }).toEqual({ first, root: expect.toSatisfy(() => root < own + 22_000) });
    }
  });
});
