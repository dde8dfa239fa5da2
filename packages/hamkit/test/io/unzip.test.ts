import { describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import { unzipOne } from "../../src/io/unzip.js";
import { zipArchive } from "../user-lists/zip-archive.js";

const OPTIONS = { name: "users.zip", suffix: ".json", maxBytes: 100_000 };
const TEXT = '{"W1AW":{"oqrs":true}}'.repeat(50);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Archives with {"W1AW":{"oqrs":true}} in users.json, in Base64, of programs that are not ours. */
const FOREIGN = [
  [
    "Info-ZIP, not packed, with extra fields",
    "UEsDBAoAAAAAAEgtdV3F079IFgAAABYAAAAKABwAdXNlcnMuanNvblVUCQADOC8BazgvAWt1eAsAAQQAAAAABAAAAAB7IlcxQVciOnsib3FycyI6dHJ1" +
      "ZX19UEsBAh4DCgAAAAAASC11XcXTv0gWAAAAFgAAAAoAGAAAAAAAAQAAAKSBAAAAAHVzZXJzLmpzb25VVAUAAzgvAWt1eAsAAQQAAAAABAAAAABQ" +
      "SwUGAAAAAAEAAQBQAAAAWgAAAAAA",
  ],
  [
    "Info-ZIP, from a pipe, with sizes in zip64 fields beside the ordinary ones",
    "UEsDBC0AAAAAAEktdV3F079I//////////8BABQALQEAEAAWAAAAAAAAABYAAAAAAAAAeyJXMUFXIjp7Im9xcnMiOnRydWV9fVBLAQIeAy0AAAAAAEkt" +
      "dV3F079IFgAAABYAAAABAAAAAAAAAAEAAACAEQAAAAAtUEsGBiwAAAAAAAAAHgMtAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAC8AAAAAAAAASQAA" +
      "AAAAAABQSwYHAAAAAHgAAAAAAAAAAQAAAFBLBQYAAAAAAQABAC8AAABJAAAAAAA=",
  ],
  [
    "Python's zipfile, packed",
    "UEsDBBQAAAAIAABgoVjF079IGAAAABYAAAAKAAAAdXNlcnMuanNvbqtWCjd0DFeyqlbKLywqVrIqKSpNra0FAFBLAQIUAxQAAAAIAABgoVjF079IGAAA" +
      "ABYAAAAKAAAAAAAAAAAAAACAAQAAAAB1c2Vycy5qc29uUEsFBgAAAAABAAEAOAAAAEAAAAAAAA==",
  ],
  [
    "Python's zipfile, to a pipe, with sizes behind the content",
    "UEsDBC0ACAAIAABgoVgAAAAA//////////8KABQAdXNlcnMuanNvbgEAEAAAAAAAAAAAAAAAAAAAAAAAq1YKN3QMV7KqVsovLCpWsiopKk2trQUAUEsH" +
      "CMXTv0gYAAAAAAAAABYAAAAAAAAAUEsBAi0DLQAIAAgAAGChWMXTv0gYAAAAFgAAAAoAAAAAAAAAAAAAAIABAAAAAHVzZXJzLmpzb25QSwUGAAAA" +
      "AAEAAQA4AAAAbAAAAAAA",
  ],
] as const;

async function unzip(archive: Uint8Array, options = {}): Promise<string> {
  return new TextDecoder().decode(await unzipOne(archive, { ...OPTIONS, ...options }));
}

async function failureOf(archive: Uint8Array, options = {}): Promise<IOError> {
  const failure: unknown = await unzip(archive, options).catch((error: unknown) => error);
  if (!(failure instanceof IOError)) throw new Error(`No IOError: ${String(failure)}`);
  expect(failure.resource).toBe("users.zip");
  expect(failure.cause).toBeInstanceOf(Error);
  return failure;
}

/** Where a record of the archive is, by its signature. */
function indexOf(archive: Uint8Array, signature: string): number {
  return Buffer.from(archive).lastIndexOf(signature, undefined, "latin1");
}

/** The archive with a number in its directory entry changed; a short one has 2 bytes, others have 4. */
function forge(archive: Uint8Array, offset: number, value: number, bytes: 2 | 4 = 4): Uint8Array {
  const forged = Buffer.from(archive);
  forged.writeUIntLE(value, indexOf(archive, "PK\u0001\u0002") + offset, bytes);
  return forged;
}

const AT = { flags: 8, method: 10, checksum: 16, packedSize: 20, size: 24, start: 42 };

describe("unzipOne", () => {
  it.each(["deflated", "stored"] as const)("gives the content of the only file, %s", async (method) => {
    expect(await unzip(zipArchive({ "users.json": TEXT }, method))).toBe(TEXT);
  });

  it.each(FOREIGN)("reads an archive of %s", async (_, base64) => {
    expect(await unzip(Buffer.from(base64, "base64"))).toBe('{"W1AW":{"oqrs":true}}');
  });

  it("does not care how the only file is called, nor about folders beside it", async () => {
    expect(await unzip(zipArchive({ "lists/": "", "lists/users": TEXT }))).toBe(TEXT);
  });

  it("takes the one whose name ends as asked, of several", async () => {
    expect(await unzip(zipArchive({ "README.txt": "Hello", "users.JSON": TEXT, "z.md": "" }))).toBe(TEXT);
  });

  it("gives the content of a file that is empty", async () => {
    expect(await unzip(zipArchive({ "users.json": "" }))).toBe("");
  });

  it("reads an archive with a comment behind it", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    const commented = Buffer.concat([archive, encode("made on Sunday")]);
    commented.writeUInt16LE(14, archive.length - 2);
    expect(await unzip(commented)).toBe(TEXT);
  });

  it("reads an archive that is a part of a larger buffer", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    const buffer = Buffer.concat([encode("before"), archive, encode("behind")]);
    expect(await unzip(buffer.subarray(6, 6 + archive.length))).toBe(TEXT);
  });

  it.each([
    ["no file", {}, "it contains no file"],
    ["folders alone", { "lists/": "" }, "it contains no file"],
    ["several files, none of them as asked", { "a.txt": "a", "b.csv": "b" }, '["a.txt","b.csv"]'],
    [
      "several as asked",
      { "a.json": "a", "b.json": "b" },
      "expected exactly one file ending in .json among its 2 files",
    ],
  ])("fails for an archive with %s", async (_, files: Record<string, string>, reason) => {
    expect((await failureOf(zipArchive(files))).message).toContain(reason);
  });

  it.each([
    ["text", encode("<html></html>")],
    ["nothing", new Uint8Array()],
    ["zeros", new Uint8Array(100_000)],
  ])("fails for %s, which is no archive", async (_, bytes) => {
    expect((await failureOf(bytes)).message).toContain("it is not a zip archive");
  });

  it("fails for an archive that is cut off, wherever", async () => {
    const archive = zipArchive({ "users.json": TEXT }, "stored");
    for (let length = 0; length < archive.length; length += 7) {
      expect((await failureOf(archive.subarray(0, length))).message).toContain("or is truncated");
    }
  });

  it("fails for an archive whose beginning is missing", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    expect((await failureOf(archive.subarray(20))).message).toMatch(/damaged|nowhere/);
  });

  it("never returns other content if a byte was changed", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    let refused = 0;
    const answers = new Set<unknown>();
    for (let index = 0; index < archive.length; index++) {
      const changed = Buffer.from(archive);
      changed.writeUInt8((archive[index] ?? 0) ^ 0xff, index);
      const outcome: unknown = await unzip(changed).catch((error: unknown) => error);
      if (outcome instanceof IOError) refused++;
      else answers.add(outcome); // as the byte was one of its date
    }
    expect([...answers]).toEqual([TEXT]);
    expect(refused).toBeGreaterThan(60);
  });

  it("rejects a file larger than allowed", async () => {
    expect((await failureOf(zipArchive({ "users.json": TEXT }), { maxBytes: 1000 })).message).toContain(
      "its file has 1100 bytes, more than the 1000 allowed",
    );
  });

  it("rejects a zip bomb that lies about its size, before it has unpacked more than that", async () => {
    const bomb = zipArchive({ "users.json": "0".repeat(50_000_000) });
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    const { message } = await failureOf(forge(bomb, AT.size, 50_000));
    expect(message).toContain("its file is larger than declared");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it.each([
    ["is shorter than it says", AT.size, 1101, "its file is damaged"],
    ["is not what was packed", AT.checksum, 1, "its file is damaged"],
    ["is packed larger than it says", AT.packedSize, 10, "it is damaged"],
    ["is longer than the archive", AT.packedSize, 0xffff_ffff, "its file is truncated"],
    ["begins outside the archive", AT.start, 0xffff_fff0, "it is damaged"],
    ["begins elsewhere in the archive", AT.start, 5, "its directory has an invalid offset"],
  ])("rejects a file that %s", async (_, offset, value, reason) => {
    const archive = zipArchive({ "users.json": TEXT });
    expect((await failureOf(forge(archive, offset, value))).message).toContain(reason);
  });

  it("uses the sizes of the directory, not those of the file's header", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    for (const [packedSize, size] of [
      [0, 0],
      [0xffff_ffff, 0xffff_ffff],
      [1, 50_000_000],
    ] as const) {
      const forged = Buffer.from(archive);
      forged.writeUInt32LE(packedSize, 18);
      forged.writeUInt32LE(size, 22);
      expect(await unzip(forged)).toBe(TEXT);
    }
  });

  it("rejects an encrypted file, and one packed by an unknown method", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    expect((await failureOf(forge(archive, AT.flags, 1, 2))).message).toContain("its file is encrypted");
    expect((await failureOf(forge(archive, AT.method, 14, 2))).message).toContain(
      "compression method 14 is not supported",
    );
  });

  it("has the error of the system's inflate as cause", async () => {
    const archive = zipArchive({ "users.json": TEXT });
    const start = 30 + "users.json".length;
    const broken = Buffer.from(archive).fill(0xff, start, start + 4);
    expect((await failureOf(broken)).cause).toMatchObject({ code: "Z_DATA_ERROR" });
  });
});
