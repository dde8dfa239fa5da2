/** Keeps the page for use without a network. The build fills in its files and their version. */
const FILES = ["FILES"];
/** Large layers, which not everyone needs: kept when they are first loaded. */
const LATER = ["LATER"];
/** Another copy of the page, in another folder of the server, has caches of its own. */
const OWN = `radio ${registration.scope} `;
const CACHE = OWN + "VERSION";
const ADDRESSES = FILES.map((file) => new URL(file, registration.scope).href);
const LATER_ADDRESSES = LATER.map((file) => new URL(file, registration.scope).href);
const PAGE = registration.scope;
const ANY = { ignoreSearch: true, ignoreVary: true };
/** A server that doesn't answer for so long counts as absent, if the page is kept. */
const PATIENCE_MS = 5000;

addEventListener("install", (event) => event.waitUntil(keepFiles()));
addEventListener("activate", (event) => event.waitUntil(replaceOthers()));
addEventListener("message", (event) => event.waitUntil(takeOver(event)));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.url.startsWith(`${PAGE}live/`)) return; // of `hamkit serve`
  event.respondWith(request.mode === "navigate" ? openPage(request) : openFile(request));
});

/** The page itself comes last: a cache that has it is complete. */
async function keepFiles() {
  const cache = await caches.open(CACHE);
  const addresses = [...ADDRESSES, ...(await usedBefore())];
  const responses = await Promise.all(addresses.map((address) => load(address)));
  const store = (address) => cache.put(address, responses[addresses.indexOf(address)]);
  await Promise.all(addresses.filter((address) => address !== PAGE).map(store));
  await store(PAGE);
}

/** What an older version has kept of the files that are loaded later, in this version. */
async function usedBefore() {
  const used = new Set();
  for (const name of await caches.keys()) {
    if (!name.startsWith(OWN)) continue;
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) used.add(partOf(url));
  }
  return LATER_ADDRESSES.filter((address) => used.has(partOf(address)));
}

/** The name of a file without its hashes: `zone-layer`. */
function partOf(address) {
  return /\/([a-z]+-[a-z]+)-[^/]*$/.exec(address)?.[1] ?? address;
}

/**
 * A file as it is to be kept. Without `Vary`: a request with other headers means the same file, and one with `*` could not be kept.
 * Without that it was redirected, which browsers refuse for a page.
 */
async function load(address) {
  const response = await fetch(address, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const headers = new Headers(response.headers);
  for (const name of ["vary", "content-encoding", "content-length"]) headers.delete(name);
  return new Response(await response.blob(), { headers });
}

/** No page of an old version is open. A page that was loaded before the first version was here loads its other parts from it. */
async function replaceOthers() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name)),
  );
  await clients.claim();
}

/**
 * A new version waits until no page of an old one is open, since that may still load parts of its own. It needn't wait if the page that
 * asks, by the address of its program, is of this version and the only one.
 */
async function takeOver({ data }) {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const own = pages.filter(({ url }) => url.startsWith(registration.scope));
  if (ADDRESSES.includes(data) && own.length <= 1) await skipWaiting();
}

/** The server's page, which may be newer, or the kept one. */
async function openPage(request) {
  const kept = (await findKept(request.url)) ?? (isPage(request.url) ? await findKept(PAGE) : undefined);
  if (kept === undefined) return fetch(request);
  const fromServer = fetch(request).then((response) => (response.status < 500 ? response : kept));
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, kept));
  return Promise.race([fromServer, late]).catch(() => kept);
}

function isPage(address) {
  const { origin, pathname } = new URL(address);
  return [PAGE, `${PAGE}index.html`].includes(origin + pathname);
}

/** Files have a hash of their content in their names, so that the kept one is right. */
async function openFile(request) {
  const kept = await findKept(request.url);
  if (kept !== undefined) return kept;
  if (!LATER_ADDRESSES.includes(request.url)) return fetch(request);
  const response = await load(request.url);
  const cache = await caches.open(CACHE);
  await cache.put(request.url, response.clone()).catch(() => undefined); // no room
  return response;
}

/** In the newest version whose files are all here. */
async function findKept(url) {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN));
  for (const name of names.toReversed()) {
    const cache = await caches.open(name);
    const isComplete = (await cache.match(PAGE, ANY)) !== undefined;
    const file = isComplete ? await cache.match(url, ANY) : undefined;
    if (file !== undefined) return file;
  }
  return undefined;
}
