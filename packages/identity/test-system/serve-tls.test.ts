import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";

import { describe, expect, it } from "vitest";

import { commandLine, freePort } from "../test/command-line.js";
import { makeCertificate } from "./certificates.js";

const { folder, start, finish } = commandLine();

/** The common name of the certificate on a new connection. */
function commonName(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("HTTPS", () => {
  it.each(["1", "2"])(
    "is spoken by %s processes, which load a renewed certificate on SIGHUP",
    async (workers) => {
      const port = await freePort();
      const used = makeCertificate({ folder: folder(), name: "used" });
      const renewed = makeCertificate({ folder: folder(), name: "renewed" });
      copyFileSync(used.cert, join(folder(), "tls.pem"));
      copyFileSync(used.key, join(folder(), "tls.key"));
      const service = start(["serve"], {
        IDENTITY_PORT: String(port),
        IDENTITY_WORKERS: workers,
        IDENTITY_TLS_CERT_FILE: join(folder(), "tls.pem"),
        IDENTITY_TLS_KEY_FILE: join(folder(), "tls.key"),
      });
      const linesWith = (text: string) => service.lines().filter(({ msg }) => msg === text).length;
      await expect.poll(() => linesWith("serving"), { timeout: 20_000 }).toBe(Number(workers));
      expect(service.lines().find(({ msg }) => msg === "serving")?.["url"]).toBe(`https://127.0.0.1:${port}`);
      expect(await commonName(port)).toBe("used");

      copyFileSync(renewed.cert, join(folder(), "tls.pem"));
      service.child.kill("SIGHUP");
      await expect.poll(() => linesWith("certificate not read again")).toBe(Number(workers));
      expect(await commonName(port)).toBe("used");

      copyFileSync(renewed.key, join(folder(), "tls.key"));
      service.child.kill("SIGHUP");
      await expect.poll(() => linesWith("certificate read again")).toBe(Number(workers));
      for (let each = 0; each < 4; each++) expect(await commonName(port)).toBe("renewed");
      service.child.kill("SIGTERM");
      expect(await service.ended).toBe(0);
    },
  );

  it("is not begun with files that are none, or a key of another certificate", async () => {
    const one = makeCertificate({ folder: folder(), name: "one" });
    const other = makeCertificate({ folder: folder(), name: "other" });
    const foreign = await finish(["serve"], {
      IDENTITY_TLS_CERT_FILE: one.cert,
      IDENTITY_TLS_KEY_FILE: other.key,
    });
    expect(foreign.exit).toBe(2);
    expect(foreign.errors).toMatch(
      /^hamkit-identity: IDENTITY_TLS_CERT_FILE: .* are not a certificate and its key: .*mismatch/,
    );
    writeFileSync(one.cert, "a letter");
    const none = await finish(["serve"], {
      IDENTITY_TLS_CERT_FILE: one.cert,
      IDENTITY_TLS_KEY_FILE: one.key,
    });
    expect(none.exit).toBe(2);
  });
});
