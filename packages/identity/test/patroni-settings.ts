/** Settings of Patroni and HAProxy for a cluster of a test, as docs/identity/postgresql.md has them. */

export const PASSWORD = "pw-of-postgres";

export interface NodeSettings {
  readonly name: string;
  readonly address: string;
  /** All etcd members. */
  readonly addresses: readonly string[];
  /** Of its data and sockets. */
  readonly folder: string;
  readonly programs: string;
  readonly isSynchronous: boolean;
}

/** JSON, which is YAML too. */
export function patroniSettings(node: NodeSettings): string {
  const { name, address, addresses, folder, programs, isSynchronous } = node;
  return JSON.stringify({
    scope: "hamkit",
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    // Not etcd3: with it Patroni 3.0.2, once reachable again, took the lead from the primary that had replaced it.
    etcd: { hosts: addresses.map((each) => `${each}:2379`) },
    bootstrap: {
      dcs: {
        // Far below Patroni's defaults (30, 10, 10), so that tests take seconds.
        ttl: 10,
        loop_wait: 1,
        retry_timeout: 4,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            shared_buffers: "16MB",
            max_connections: 100,
            max_wal_senders: 10,
            wal_retrieve_retry_interval: "500ms",
          },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
      pg_hba: [
        "local all all trust",
        "host replication replicator 0.0.0.0/0 scram-sha-256",
        "host all all 0.0.0.0/0 scram-sha-256",
      ],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: `${folder}/data`,
      bin_dir: programs,
      pgpass: `${folder}/pgpass`,
      authentication: {
        superuser: { username: "postgres", password: PASSWORD },
        replication: { username: "replicator", password: PASSWORD },
        rewind: { username: "rewind", password: PASSWORD },
      },
      parameters: { unix_socket_directories: folder, password_encryption: "scram-sha-256" },
    },
  });
}

/** @param port Leads to the primary. */
export function haproxySettings(addresses: readonly string[], port: number): string {
  const servers = addresses.map(
    (address, at) => `  server pg${at + 1} ${address}:5432 check port 8008 maxconn 100`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 1s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
