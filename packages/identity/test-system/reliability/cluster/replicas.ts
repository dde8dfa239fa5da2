/** Replicas of the service on a cluster: some find the primary themselves, one through HAProxy. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../../free-port.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import type { PatroniCluster } from "./patroni-cluster.js";

export interface Replicas {
  /** Of the master key. */
  readonly folder: string;
  readonly all: readonly ServiceProcess[];
  /** Kills one, and starts it again at the same address. */
  restart(index: number): Promise<ServiceProcess>;
  close(): Promise<void>;
}

/** @param env Settings in addition to those of every test. */
export async function startReplicas(
  cluster: PatroniCluster,
  env: Readonly<Record<string, string>> = {},
): Promise<Replicas> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const all: ServiceProcess[] = [];
  const urls = [cluster.url, cluster.proxyUrl, cluster.url];
  let publicUrl: string | undefined;
  const start = (index: number, port: number) =>
    startService({
      databaseUrl: urls[index] ?? cluster.url,
      folder,
      port,
      // They end with this process, also if it is killed.
      through: ["/usr/bin/setpriv", "--pdeathsig=KILL", "--"],
      env: { ...(publicUrl !== undefined && { IDENTITY_PUBLIC_URL: publicUrl }), ...env },
    });
  // The first one makes the tables and the master key.
  for (let index = 0; index < urls.length; index++) {
    const replica = await start(index, await freePort());
    publicUrl ??= replica.url;
    all.push(replica);
  }
  return {
    folder,
    all,
    async restart(index) {
      const former = all[index] as ServiceProcess;
      await former.kill();
      const replica = await start(index, former.port);
      all[index] = replica;
      return replica;
    },
    async close() {
      await Promise.all(all.map((replica) => replica.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
