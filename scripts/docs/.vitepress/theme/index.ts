import { useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import { searchOptions } from "../search.ts";
import FilterRows from "./FilterRows.vue";
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

/** What the frontmatter of a page adds: a form for the API of an OpenAPI document, or a filter of the rows of its tables. */
function AboveText() {
  const { tryAt, filter } = useData().frontmatter.value;
  if (typeof tryAt === "string") return h(TryRequest, { document: tryAt });
  return filter === true ? h(FilterRows) : undefined;
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
