/** Connects to the key/value store of the settings. */
import { IOError } from "../../errors.js";
import { UsageError } from "../exit-code.js";

/** The used part of a client. */
interface StoreClient {
  on(event: "error", listener: (failure: Error) => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): unknown;
}

interface Libraries {
  readonly ioredis: { readonly Redis: new (url: string, options: object) => StoreClient };
  readonly redis: { createClient(options: object): StoreClient };
}

const CONNECT_MS = 5000;

/**
 * A connected client of the installed client library, which hamkit does not include.
 *
 * @throws {UsageError} The address is invalid, or no client library is installed.
 * @throws {IOError} The store can't be reached.
 */
export async function connectStore(url: string): Promise<StoreClient> {
  const name = nameOf(url);
  const client = await createClient(url);
  let reason: string | undefined;
  client.on("error", (failure) => {
    reason ??= failure.message;
  });
  try {
    await client.connect();
  } catch (cause) {
    client.disconnect();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new IOError(name, `the store can't be reached: ${reason ?? message}`, { cause });
  }
  return client;
}

async function createClient(url: string): Promise<StoreClient> {
  const ioredis = await installed("ioredis");
  if (ioredis) {
    return new ioredis.Redis(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      retryStrategy: () => null,
    });
  }
  const redis = await installed("redis");
  if (redis)
    return redis.createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } });
  throw new UsageError("kvstore needs a client library of the store: npm install --global ioredis");
}

async function installed<Name extends keyof Libraries>(name: Name): Promise<Libraries[Name] | undefined> {
  try {
    return (await import(name)) as Libraries[Name];
  } catch {
    return undefined;
  }
}

/** The address without account and password. */
function nameOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^rediss?:$/.test(url.protocol)) return `${url.protocol}//${url.host}${url.pathname}`;
  // The message does not show the text, which may contain a password.
  throw new UsageError("HAMKIT_STORE_URL is not an address such as redis://localhost:6379");
}
