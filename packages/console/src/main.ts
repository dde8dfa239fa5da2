/** Starts the console. */
import { mount } from "svelte";

import App from "./app/App.svelte";
import { loadCloud } from "./app/cloud.svelte.ts";
import { router, SIGNED_IN_PATH, startRouter } from "./app/router.svelte.ts";
import { routes } from "./app/routes.ts";
import { session } from "./app/session.svelte.ts";
import { startTheme } from "./app/theme.svelte.ts";
// oxlint-disable-next-line import/no-unassigned-import -- Styles have no names.
import "./ui/tokens.css";
// oxlint-disable-next-line import/no-unassigned-import
import "./ui/base.css";

startTheme();
void loadCloud();
startRouter(routes);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no other origins.
if (router.path === SIGNED_IN_PATH) new BroadcastChannel(SIGNED_IN_PATH).postMessage("");
else void session.load();
mount(App, { target: document.body });
