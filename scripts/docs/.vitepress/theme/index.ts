import { useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import { searchOptions } from "../search.ts";
import TryRequest from "./TryRequest.vue";
import "./theme.css";

/** What readers of pages that do not exist may have looked for: paths and titles. */
const MAIN_PAGES = [
  ["/guide/getting-started", "Getting started"],
  ["/guide/cookbook", "Cookbook"],
  ["/guide/troubleshooting", "Troubleshooting"],
  ["/reference/rest-api", "REST API"],
  ["/reference/configuration", "Configuration"],
] as const;

function openSearch(): void {
  document.querySelector<HTMLElement>("#local-search button")?.click();
}

function NotFound() {
  return h("div", { class: "not-found" }, [
    h("h1", "This page does not exist"),
    h("p", "It may have moved. Search all pages, or begin with one of these:"),
    h(
      "ul",
      MAIN_PAGES.map(([path, title]) => h("li", h("a", { href: withBase(path) }, title))),
    ),
    h("button", { type: "button", onClick: openSearch }, "Search"),
  ]);
}

/** What is above the text of a page: a form on pages whose frontmatter names an OpenAPI document. */
function AboveText() {
  const { tryAt } = useData().frontmatter.value;
  return typeof tryAt === "string" ? h(TryRequest, { document: tryAt }) : undefined;
}

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "not-found": () => h("main", h(NotFound)),
      "doc-before": () => h(AboveText),
    }),
  enhanceApp({ siteData }) {
    // Functions of the settings would be sent as text that pages evaluate, which their policy does not allow.
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
  },
};
