/** Keeps the page for use without a network. The build fills in its files and their version. */
const FILES = ["FILES"];
/** Another copy of the page, in another folder of the server, has caches of its own. */
const OWN = `radio ${registration.scope} `;
const CACHE = OWN + "VERSION";

/** A new version waits until no page of the old one is open: that one may still load parts of its own. */
addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))),
  );
});

addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name)),
        ),
      ),
  );
});

/** Files have a hash of their content in their names, so that the kept one is right. The page itself is asked for first. */
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const kept = () => caches.match(request, { ignoreSearch: true });
  event.respondWith(
    request.mode === "navigate"
      ? fetch(request).catch(() => kept().then((page) => page ?? caches.match("./")))
      : kept().then((file) => file ?? fetch(request)),
  );
});
