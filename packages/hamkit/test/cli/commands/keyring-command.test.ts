import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { openKeyring, type Keyring } from "../../../src/cli/databases/keyring.js";
import { IOError } from "../../../src/errors.js";
import { hamkit, hamkitJson } from "../run-cli.js";

/** A keyring, and what it was asked for. */
function memoryKeyring(secrets: Record<string, string> = {}) {
  const read: string[] = [];
  const keyring: Keyring = {
    async read(name) {
      read.push(name);
      return secrets[name];
    },
    write: async (name, secret) => void (secrets[name] = secret),
    async remove(name) {
      const had = name in secrets;
      delete secrets[name];
      return had;
    },
  };
  return { secrets, read, io: { keyring: async () => keyring } };
}

describe("hamkit keyring", () => {
  it("stores a secret of standard input, lists its name, and deletes it", async () => {
    const { secrets, io } = memoryKeyring();
    const set = await hamkit(["keyring", "set", "hamkit_qrz_key"], { io, stdin: ["s3c", "ret\n"] });
    expect(set).toEqual({ exitCode: 0, stdout: "HAMKIT_QRZ_KEY is in the keyring.\n", stderr: "" });
    expect(secrets).toEqual({ HAMKIT_QRZ_KEY: "s3cret" });
    expect((await hamkit(["keyring", "list"], { io })).stdout).toBe("HAMKIT_QRZ_KEY\n");
    expect(await hamkitJson(["keyring", "list"], { io })).toEqual({ names: ["HAMKIT_QRZ_KEY"] });
    expect((await hamkit(["keyring", "delete", "HAMKIT_QRZ_KEY"], { io })).stdout).toBe(
      "HAMKIT_QRZ_KEY was deleted.\n",
    );
    expect(await hamkit(["keyring", "delete", "HAMKIT_QRZ_KEY"], { io })).toMatchObject({
      exitCode: 1,
      stdout: "HAMKIT_QRZ_KEY is not in the keyring.\n",
    });
    expect((await hamkit(["keyring", "list"], { io })).stdout).toBe("");
  });

  it("asks at a terminal", async () => {
    const { secrets, io } = memoryKeyring();
    const prompts: unknown[] = [];
    const ask = async (...words: unknown[]) => {
      prompts.push(words);
      return "with spaces ";
    };
    await hamkit(["keyring", "set", "HAMKIT_EQSL_PASSWORD"], { io: { ...io, ask } });
    expect(prompts).toEqual([["HAMKIT_EQSL_PASSWORD: ", { isHidden: true }]]);
    expect(secrets).toEqual({ HAMKIT_EQSL_PASSWORD: "with spaces " });
  });

  it.each([
    ["no secret", [""], ", got none"],
    ["an empty line", ["\n"], ", got none"],
    ["two lines", ["s3cret\nother\n"], ""],
    ["a control character", ["s3cret\u0003"], ""],
  ])("stores %s", async (_, stdin, reason) => {
    const { secrets, io } = memoryKeyring();
    expect(await hamkit(["keyring", "set", "HAMKIT_QRZ_KEY"], { io, stdin })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: HAMKIT_QRZ_KEY: expected one line of text${reason}\n`,
    });
    expect(secrets).toEqual({});
  });

  it.each(["s3cret", "HAMKIT_QRZ", "HAMKIT_EQSL_USER", "PATH"])(
    "stores nothing under the name %s, which may be a secret itself",
    async (name) => {
      const { io } = memoryKeyring();
      const { exitCode, stderr } = await hamkit(["keyring", "set", name], { io, stdin: ["x"] });
      expect(exitCode).toBe(2);
      expect(stderr).toContain("the name of a secret is one of HAMKIT_LOG_APIKEY, ");
      expect(stderr).not.toContain(` ${name},`);
      expect(stderr).not.toContain("s3cret");
    },
  );

  it("says that there is no keyring before it asks", async () => {
    const ask = async () => {
      throw new Error("asked");
    };
    for (const words of [["set", "HAMKIT_QRZ_KEY"], ["delete", "HAMKIT_QRZ_KEY"], ["list"]])
      expect(await hamkit(["keyring", ...words], { io: { ask } })).toEqual({
        exitCode: 3,
        stdout: "",
        stderr: "error: keyring: none in tests\n",
      });
  });
});

describe("a secret", () => {
  it("is that of the environment, else of the file, else of the keyring", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hamkit-"));
    const log = join(folder, "mylog.adi");
    await writeFile(log, "<CALL:4>W1AW<QSO_DATE:8>20240630<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n");
    const file = join(folder, "credentials");
    await writeFile(file, "HAMKIT_QRZ_KEY=of-the-file\n");
    await chmod(file, 0o600);
    const keys: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        keys.push(new URLSearchParams(body).get("KEY") ?? "");
        response.end("RESULT=FAIL&REASON=refused, KEY=of-the-keyring");
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const HAMKIT_QRZ_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { read, io } = memoryKeyring({ HAMKIT_QRZ_KEY: "of-the-keyring", HAMKIT_EQSL_PASSWORD: "other" });
    const upload = async (words: string[], env: Record<string, string> = {}) =>
      hamkit(["upload", log, "--to", "qrz", ...words], { io, env: { HAMKIT_QRZ_URL, ...env } });
    await upload(["--credentials", file], { HAMKIT_QRZ_KEY: "of-the-environment" });
    await upload(["--credentials", file]);
    expect(read).toEqual([]); // a keyring may ask to be unlocked
    const { stdout } = await upload([]);
    expect(keys).toEqual(["of-the-environment", "of-the-file", "of-the-keyring"]);
    expect(read).toEqual(["HAMKIT_QRZ_KEY"]); // and no secret of another service
    expect(stdout).toContain("refused, KEY=***");
    server.close();
    await rm(folder, { recursive: true });
  });

  it("that the keyring does not give is an error, not a missing one", async () => {
    const keyring: Keyring = {
      read: async (name) => {
        throw new IOError("keyring", `${name} can't be read: it is locked`);
      },
      write: async () => {},
      remove: async () => false,
    };
    expect(
      await hamkit(["call", "DH1TW", "--in", "logapi"], { io: { keyring: async () => keyring } }),
    ).toMatchObject({
      exitCode: 3,
      stderr: "error: keyring: HAMKIT_LOG_APIKEY can't be read: it is locked\n",
    });
  });
});

describe("the package of the keyring", () => {
  const entries: unknown[][] = [];
  const loaded = (fail: (() => never) | undefined) => async () => ({
    AsyncEntry: class {
      constructor(...words: unknown[]) {
        entries.push(words);
        if (words[1] === "any" && fail?.name === "unavailable") fail();
      }
      async getPassword() {
        return fail?.() ?? null;
      }
      async setPassword(secret: string) {
        if (fail !== undefined) throw new Error(`can't store ${secret}`);
      }
      async deletePassword() {
        return fail?.() ?? true;
      }
    },
  });

  it("is asked for the Secret Service: the kernel's keyring forgets", async () => {
    const keyring = await openKeyring(loaded(undefined));
    expect(await keyring.read("HAMKIT_QRZ_KEY")).toBeUndefined();
    expect(await keyring.remove("HAMKIT_QRZ_KEY")).toBe(true);
    expect(entries).toContainEqual(["hamkit", "HAMKIT_QRZ_KEY", { linux: { store: "secret-service" } }]);
  });

  it("fails without a secret in any error", async () => {
    const keyring = await openKeyring(
      loaded(() => {
        throw new Error("locked");
      }),
    );
    await expect(keyring.read("HAMKIT_QRZ_KEY")).rejects.toThrow(
      "keyring: HAMKIT_QRZ_KEY can't be read: locked",
    );
    const failure = await keyring.write("HAMKIT_QRZ_KEY", "s3cret").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: "keyring: HAMKIT_QRZ_KEY can't be stored: can't store ***",
      cause: { message: "can't store ***" },
    });
    await expect(
      openKeyring(
        loaded(function unavailable(): never {
          throw new Error("no D-Bus");
        }),
      ),
    ).rejects.toThrow("keyring: this system has no keyring that can be used: no D-Bus");
  });
});
