import { render } from "preact";

import { App } from "./App.js";

const target = document.querySelector("#app");
if (target !== null) render(<App />, target);

// Offline after the first visit. Only the built page has the file.
if (import.meta.env.PROD && "serviceWorker" in navigator)
  addEventListener(
    "load",
    () => void navigator.serviceWorker.register("./service-worker.js").catch(() => undefined),
  );
