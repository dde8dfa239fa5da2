/** SimpleSAMLphp's identity provider in PHP's own web server. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Signer } from "../../../test/federation/saml/test-provider.js";
import { freePort } from "../../free-port.js";
import type { FakeClock } from "../fake-clock.js";
import { startParty } from "../party-process.js";
import { USER, type ProviderParty } from "../saml/provider-party.js";

const WWW = "/usr/share/simplesamlphp/www";

export interface SimpleSamlPhpOptions {
  readonly signer: Signer;
  /** Of the provider, in addition to those that each has: SimpleSAMLphp's names in `saml20-idp-hosted`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clock?: FakeClock;
}

export interface SimpleSamlPhp extends ProviderParty {
  /** Replaces its own settings; the next request reads them. */
  configure(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Adds a key and its certificate, `NAME.key` and `NAME.pem`, which settings name. */
  addKey(name: string, signer: Signer): Promise<void>;
}

/** Single logout is at `/saml2/idp/SingleLogoutService.php`, for services with it in their metadata. */
export async function startSimpleSamlPhp({
  signer,
  settings = {},
  clock,
}: SimpleSamlPhpOptions): Promise<SimpleSamlPhp> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-simplesamlphp-"));
  for (const name of ["cert", "metadata", "tmp"]) await mkdir(join(folder, name));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const entityId = `${url}/saml2/idp/metadata.php`;
  const write = (name: string, text: string) => writeFile(join(folder, name), text);

  async function addKey(name: string, { certificate, privateKey }: Signer): Promise<void> {
    await write(`cert/${name}.pem`, certificate);
    await write(`cert/${name}.key`, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  }
  const configure = (own: Readonly<Record<string, unknown>>) =>
    write("metadata/saml20-idp-hosted.php", phpArray("metadata", { [entityId]: { ...HOSTED, ...own } }));

  await addKey("idp", signer);
  await write("config.php", phpArray("config", configuration(url, folder)));
  await write("authsources.php", phpArray("config", USERS));
  await configure(settings);
  await write("metadata/services.xml", NO_SERVICES);
  const process = await startParty({
    // Changed settings are read at once; by default PHP looks for changes every two seconds.
    command: ["/usr/bin/php", "-d", "opcache.revalidate_freq=0", "-S", `127.0.0.1:${port}`, "-t", WWW],
    env: { SIMPLESAMLPHP_CONFIG_DIR: folder, ...clock?.env },
    readyUrl: entityId,
  });
  return {
    url,
    entityId,
    configure,
    addKey,
    metadata: await (await fetch(entityId)).text(),
    // Without the service's wish for signed assertions, so that the provider's settings decide.
    trust: ({ metadata }) =>
      write("metadata/services.xml", metadata.replace(' WantAssertionsSigned="true"', "")),
    async close() {
      await process.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const NO_SERVICES = '<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"/>';

const USERS = {
  users: {
    0: "exampleauth:UserPass",
    [`${USER.username}:${USER.password}`]: {
      uid: [USER.username],
      mail: ["alice@example.org"],
      eduPersonAffiliation: ["staff", "member"],
    },
  },
};

const HOSTED = {
  host: "__DEFAULT__",
  privatekey: "idp.key",
  certificate: "idp.pem",
  auth: "users",
  "saml20.ecp": true,
  "validate.authnrequest": true,
  "sign.logout": true,
  "validate.logout": true,
};

function configuration(url: string, folder: string): object {
  return {
    baseurlpath: `${url}/`,
    certdir: join(folder, "cert/"),
    metadatadir: join(folder, "metadata/"),
    tempdir: join(folder, "tmp"),
    secretsalt: "a salt of a test",
    "auth.adminpassword": "a password that no test uses",
    timezone: "UTC",
    "logging.handler": "stderr",
    "logging.level": 5,
    "enable.saml20-idp": true,
    "module.enable": { exampleauth: true, core: true, saml: true },
    "session.cookie.secure": false,
    "session.phpsession.savepath": join(folder, "tmp"),
    "metadata.sources": [
      { type: "flatfile", directory: join(folder, "metadata") },
      { type: "xml", file: join(folder, "metadata/services.xml") },
    ],
  };
}

/** A file that sets a variable, from which SimpleSAMLphp reads settings. */
function phpArray(variable: string, value: object): string {
  return `<?php\n$${variable} = json_decode(<<<'END'\n${JSON.stringify(value)}\nEND, true);\n`;
}
