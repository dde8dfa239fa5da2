import { createContext, runInContext } from "node:vm";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

import { ValueError } from "../../src/errors.js";
import { drawPng, type PngOptions } from "../../src/map.js";

/** The color of a pixel of a PNG without interlacing, of 8 bits with or without alpha (RFC 2083). */
function pixels(png: Uint8Array) {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001a\n");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const depth = bytes[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = inflateSync(Buffer.concat(parts));
  const size = width * depth;
  const image = Buffer.alloc(size * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (size + 1)];
    for (let i = 0; i < size; i++) {
      const left = i < depth ? 0 : (image[y * size + i - depth] ?? 0);
      const up = y === 0 ? 0 : (image[(y - 1) * size + i] ?? 0);
      const corner = i < depth || y === 0 ? 0 : (image[(y - 1) * size + i - depth] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      image[y * size + i] = (rows[y * (size + 1) + 1 + i] ?? 0) + guess;
    }
  }
  const at = (x: number, y: number) => image.toString("hex", y * size + x * depth, y * size + x * depth + 3);
  return { width, height, at };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [number, number, number];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

describe("drawPng", () => {
  it("draws the map with its colors, in the size that was asked for", async () => {
    const { width, height, at } = pixels(
      await drawPng({ width: 480, scale: 1, squares: [{ locator: "GG66" }] }),
    );
    expect([width, height > 240]).toEqual([480, true]);
    expect(at(2, 2)).toBe("ffffff"); // paper
    // 30° W on the equator is sea, 5° N 20° E land, on a map with margins of 12 * 0.8
    const pixel = (latitude: number, longitude: number) =>
      at(
        Math.round(9.6 + ((longitude + 180) / 360) * 460.8),
        Math.round(9.6 + ((90 - latitude) / 180) * 230.4),
      );
    expect(pixel(0, -30)).toBe("d9e7f1");
    expect(pixel(5, 20)).toBe("fbf9f3");
    expect(pixel(-23.5, -47)).not.toBe("fbf9f3"); // GG66
    expect(pixels(await drawPng({ width: 240 })).width).toBe(480);
    expect(pixels(await drawPng({ width: 240, scale: 1, theme: "dark" })).at(2, 2)).toBe("0e141b");
  });

  it("writes text: other labels make other pictures", async () => {
    const labeled = (label: string) => drawPng({ from: { locator: "JN48", label }, width: 240 });
    expect(Buffer.from(await labeled("A")).equals(Buffer.from(await labeled("B")))).toBe(false);
    expect(Buffer.from(await labeled("A")).equals(Buffer.from(await labeled("A")))).toBe(true);
  });

  it.each([0, 5, Number.NaN, "2"])("rejects the scale %s", async (scale) => {
    await expect(drawPng({ scale } as PngOptions)).rejects.toThrow(ValueError);
  });

  it("says what is missing where the package can't be imported", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { drawPng } from "./map.js"; export { isHamkitError } from "./errors.js"`,
        resolveDir: fileURLToPath(new URL("../../src/", import.meta.url)),
        loader: "ts",
      },
      bundle: true,
      format: "iife",
      globalName: "program",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    const failure = (await runInContext(
      `${outputFiles[0]?.text};program.drawPng({ width: 240 }).catch((error) => error)`,
      createContext({}),
    )) as Error;
    expect(failure).toMatchObject({
      name: "IOError",
      code: "io/failed",
      message: "@resvg/resvg-js: not available; PNG needs Node and this package: npm install @resvg/resvg-js",
    });
  });
});
