import { render } from "preact";

import { App } from "./App.js";

const target = document.querySelector("#app");
if (target !== null) render(<App />, target);

// Offline after the first visit. Only the built page has the file.
if (import.meta.env.PROD && "serviceWorker" in navigator)
  addEventListener("load", () => void keepForOffline().catch(() => undefined));

async function keepForOffline(): Promise<void> {
  const registration = await navigator.serviceWorker.register("./service-worker.js");
  // A new version replaces the one before at once, if this page is of it and no other is open.
  const announce = () => (registration.installing ?? registration.waiting)?.postMessage(import.meta.url);
  announce();
  registration.addEventListener("updatefound", announce);
}
