/** Aggregates that xmlsec1 has signed, read in a thread as they come: time, and memory that does not grow with them. */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { createReaderThreads } from "../../../dist/federation/protocols/saml2/threads/reader-threads.js";
import { aggregateXml, entityXml } from "../../../test/federation/saml/metadata/test-aggregate.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";

const MD = "urn:oasis:names:tc:SAML:2.0:metadata";
const signer = newSigner();
let folder: string;

/** To be filled in. */
const template = (inclusive: string) =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#_aggregate"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#">${inclusive}</ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`;
const PREFIXES = `<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="md xs #default"/>`;

function signed(count: number, inclusive = ""): string {
  const all = Array.from({ length: count }, (_, index) =>
    entityXml({
      entityId: `https://idp${index}.example`,
      names: { en: `School &amp; ${index} ä` },
      attributes: ` ID="_e${index}"`,
    }),
  );
  const xml = aggregateXml(template(inclusive) + all.join("\n"), ' ID="_aggregate" cacheDuration="PT6H"');
  writeFileSync(join(folder, "in.xml"), xml);
  const [key, output, input] = ["key.pem", "out.xml", "in.xml"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { status, stderr } = spawnSync(
    "xmlsec1",
    ["--sign", "--id-attr:ID", `${MD}:EntitiesDescriptor`, "--privkey-pem", key, "--output", output, input],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return output;
}

/** @param entities Of the largest one; 580 make a megabyte. */
export function signedAggregatesContract(entities: number): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
    writeFileSync(join(folder, "key.pem"), signer.privateKey.export({ type: "pkcs8", format: "pem" }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["exclusively", 50, ""],
    ["with inclusive prefixes", 50, PREFIXES],
    [`in ${entities} entities`, entities, ""],
  ])("reads an aggregate that xmlsec1 has signed %s", async (_, count, inclusive) => {
    const file = signed(count, inclusive);
    const threads = createReaderThreads();
    const before = process.memoryUsage().rss;
    let highest = before;
    async function* watched() {
      for await (const chunk of createReadStream(file)) {
        highest = Math.max(highest, process.memoryUsage().rss);
        yield chunk as Uint8Array;
      }
    }
    try {
      const task = {
        entityIds: ["https://idp7.example", `https://idp${count - 1}.example`],
        trust: { certificates: [new X509Certificate(signer.certificate)], weakKeys: [], allowsSha1: false },
        isRetry: false,
      };
      const start = performance.now();
      const { providers } = await threads.readAggregate(task, watched());
      expect(providers.map(({ entityId }) => entityId)).toEqual(task.entityIds);
      const megabytes = statSync(file).size / 1e6;
      expect(megabytes).toBeGreaterThan(count / 580);
      const grown = (highest - before) / 1e6;
      process.stdout.write(
        `aggregate: ${megabytes.toFixed(1)} MB in ${((performance.now() - start) / 1000).toFixed(1)} s, ${grown.toFixed(0)} MB of memory
`,
      );
      expect(grown).toBeLessThan(160);
    } finally {
      await threads.close();
    }
  });
}
