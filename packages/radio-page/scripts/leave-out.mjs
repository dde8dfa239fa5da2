/**
 * Leaves out of a build what the page never loads: modules that hamkit imports on demand, for options that the page doesn't use, and
 * everything that only they need.
 */

/** @param names Beginnings of the names of modules. */
export function leaveOut(names) {
  return {
    name: "leave-out",
    generateBundle(_options, bundle) {
      const needed = new Set();
      const pending = Object.values(bundle).filter(({ isEntry }) => isEntry);
      for (let chunk = pending.pop(); chunk !== undefined; chunk = pending.pop()) {
        if (needed.has(chunk.fileName) || isLeftOut(chunk, names)) continue;
        needed.add(chunk.fileName);
        const imports = [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])];
        pending.push(...imports.map((name) => bundle[name]).filter((other) => other !== undefined));
      }
      for (const [name, { type }] of Object.entries(bundle))
        if (type === "chunk" && !needed.has(name)) delete bundle[name];
    },
  };
}

/** Leaves out paths on the ellipsoid (`model: "wgs84"`), which the page never asks for: 2 kB when compressed. */
export function leaveOutEllipsoid() {
  return {
    name: "leave-out-ellipsoid",
    transform(code) {
      const without = code.replace(
        /^\/\/ src\/geo\/ellipsoid\.ts\n[^]*?(?=^\/\/ src\/)/m,
        "const geodesic = undefined;\n",
      );
      return without === code ? undefined : { code: without, map: null };
    },
  };
}

function isLeftOut({ moduleIds = [] }, names) {
  return moduleIds.some((id) => names.some((name) => id.split("/").at(-1).startsWith(`${name}-`)));
}
