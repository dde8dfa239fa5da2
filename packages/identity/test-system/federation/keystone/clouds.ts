/** The clouds of the guides: a Keystone, and three instances of the service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { postgresDatabases, sqliteDatabases, type TestDatabases } from "../../../test/databases.js";
import { administratorOf, openOpenstackShell } from "../../clients/openstack-shell.js";
import { freePort } from "../../free-port.js";
import { fileOf, followSection, linesFor, readGuide, type Block, type Cloud } from "./guide.js";
import { makeKeystone, type KeystoneServer } from "./keystone-server.js";
import { openService, type OpenService } from "./open-service.js";

/** `front` is an Apache in front of `moved`, to which federation of `keystone` moves. */
export type CloudName = "id" | "second" | "moved" | "keystone" | "front";
type Ports = Readonly<Record<CloudName, number>>;

export interface Clouds {
  /** Where files of the guides are. */
  readonly folder: string;
  readonly keystone: KeystoneServer;
  /** From which users come. */
  readonly id: OpenService;
  readonly guide: readonly Block[];
  readonly moving: readonly Block[];
  urlOf(cloud: CloudName): string;
  /** Follows a section of a guide. @returns The output of its last command. */
  follow(guide: readonly Block[], title: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts them. Keystone starts once, for that takes longest. */
export async function startClouds(): Promise<Clouds> {
  const closing: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const end of closing.toReversed()) await end();
  }
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "hamkit-clouds-"));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  const ports = await choosePorts();
  const [folder, keystoneFolder] = [await newFolder(), await newFolder()];
  const { guide, moving } = readGuides(ports, keystoneFolder);

  async function open(cloud: CloudName, databases: TestDatabases, env = {}): Promise<OpenService> {
    const service = await openService({ port: ports[cloud], databases, env });
    closing.push(() => service.close());
    return service;
  }
  function openCloud(cloud: CloudName): Cloud {
    const url = urlAt(ports[cloud]);
    const shell = openOpenstackShell(url, folder);
    closing.push(() => shell.close());
    return { shell, env: administratorOf(url) };
  }
  async function openKeystone(): Promise<KeystoneServer> {
    const database = await postgresDatabases.create();
    closing.push(() => database.remove());
    const place = { folder: keystoneFolder, port: ports.keystone, frontPort: ports.front };
    const keystone = await makeKeystone(
      { ...place, databaseUrl: database.url },
      {
        keystone: fileOf(guide, "keystone.conf"),
        apache: fileOf(guide, "mellon.conf"),
        front: fileOf(moving, "front.conf"),
      },
    );
    await keystone.run(linesFor(guide, "host"));
    closing.push(() => keystone.stop());
    await keystone.start();
    return keystone;
  }

  try {
    const id = await open("id", sqliteDatabases);
    await open("second", postgresDatabases);
    await open("moved", sqliteDatabases, environmentOf(moving));
    const keystone = await openKeystone();
    const both = { id: openCloud("id"), keystone: openCloud("keystone") };
    const [second, moved] = [openCloud("second"), openCloud("moved")];
    return {
      folder,
      keystone,
      id,
      guide,
      moving,
      close,
      urlOf: (cloud) => urlAt(ports[cloud]),
      follow: (blocks, title) =>
        followSection(blocks, title, {
          folder,
          clouds: blocks === moving ? { ...both, second: moved, admin: moved } : { ...both, second },
        }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const urlAt = (port: number) => `http://127.0.0.1:${port}`;

async function choosePorts(): Promise<Ports> {
  const [id = 0, second = 0, moved = 0, keystone = 0, front = 0] = await Promise.all(
    Array.from({ length: 5 }, () => freePort()),
  );
  return { id, second, moved, keystone, front };
}

/** The other one of these services has one name in both. */
function readGuides(ports: Ports, keystoneFolder: string) {
  const names = (second: number) => ({
    "https://id.example.org": urlAt(ports.id),
    "https://second.example.org": urlAt(second),
    "https://keystone.example.org": urlAt(ports.keystone),
    "https://front.example.org": urlAt(ports.front),
    "/etc/apache2/mellon": join(keystoneFolder, "mellon"),
    "/etc/keystone/saml": join(keystoneFolder, "saml"),
  });
  return {
    guide: readGuide("providers/keystone.md", names(ports.second)),
    moving: readGuide("moving-from-keystone.md", names(ports.moved)),
  };
}

/** What a guide sets for the service. */
function environmentOf(blocks: readonly Block[]): Record<string, string> {
  const lines = linesFor(blocks, "environment").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.replace("export ", "").split("=") as [string, string]));
}
