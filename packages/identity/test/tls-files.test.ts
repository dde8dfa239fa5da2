import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { readConfig } from "../src/config.js";
import { readTls } from "../src/serve.js";

it("a certificate or key that is no file is named by its setting, its path and what is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
  const [socket, empty, text] = ["socket", "empty.pem", "text.pem"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const server = createServer().listen(socket);
  await once(server, "listening");
  writeFileSync(empty, "");
  writeFileSync(text, "text");
  const read = (cert: string, key: string) => () =>
    readTls(readConfig({ HOME: folder, IDENTITY_TLS_CERT_FILE: cert, IDENTITY_TLS_KEY_FILE: key }).server);
  expect(read(folder, text)).toThrow(`IDENTITY_TLS_CERT_FILE: "${folder}" is a folder, expected a file`);
  expect(read(text, folder)).toThrow(`IDENTITY_TLS_KEY_FILE: "${folder}" is a folder, expected a file`);
  expect(read(text, socket)).toThrow(`IDENTITY_TLS_KEY_FILE: "${socket}" is a socket, expected a file`);
  expect(read(text, empty)).toThrow(`IDENTITY_TLS_KEY_FILE: "${empty}" is empty`);
  expect(read(`${folder}/no/cert.pem`, text)).toThrow(`"${folder}/no/cert.pem" does not exist`);
  expect(read(`${text}/cert.pem`, text)).toThrow("a part of its path is not a folder");
  expect(read(text, text)).toThrow("are not a certificate and its key");
  server.close();
  rmSync(folder, { recursive: true });
});
