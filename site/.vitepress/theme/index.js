/**
 * The theme with the system's fonts, and the parts of pages that run.
 * The first page has no main landmark in the theme.
 */
import { nextTick, onMounted, watch } from "vue";
import { useData } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";

import ApiReference from "./ApiReference.vue";
import Playground from "./Playground.vue";
// eslint-disable-next-line import/no-unassigned-import -- a style sheet has no name
import "./style.css";

async function markMain(layout) {
  await nextTick();
  const content = document.getElementById("VPContent");
  if (layout === "home") content?.setAttribute("role", "main");
  else content?.removeAttribute("role");
}

export default {
  extends: DefaultTheme,
  setup() {
    const { frontmatter } = useData();
    onMounted(() => watch(() => frontmatter.value.layout, markMain, { immediate: true }));
  },
  enhanceApp({ app }) {
    app.component("ApiReference", ApiReference);
    app.component("Playground", Playground);
  },
};
