import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { accessibleTheme } from "./accessibleTheme.ts";
import { editLink, version } from "./manifest.ts";
import { plainMarkdown, summaryOf, writeTextPages } from "./textPages.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Sections of the sidebar: folder, title, pages as [file, title]. Pages of docs/internals are not listed. */
const SECTIONS: [folder: string, title: string, pages: [file: string, title: string][]][] = [
  [
    "guide",
    "Guide",
    [
      ["getting-started", "Getting started"],
      ["packages", "Packages"],
      ["starters", "Starters"],
      ["tutorial", "Tutorial"],
      ["tour", "A tour of the app"],
      ["objects", "Objects"],
      ["queries", "Queries"],
      ["permissions", "Permissions"],
      ["users", "Users, sessions and mails"],
      ["files", "Files"],
      ["transactions", "Transactions"],
      ["cookbook", "Cookbook"],
      ["troubleshooting", "Troubleshooting"],
      ["client", "Client SDK"],
      ["react-hooks", "React hooks"],
      ["wallets", "Wallets"],
      ["passkeys", "Passkeys"],
      ["contracts", "Transactions and contracts"],
      ["cloud-functions", "Cloud code"],
      ["modules", "Modules"],
      ["live-queries", "Live queries"],
      ["graphql", "GraphQL"],
      ["mcp", "AI tools (MCP)"],
      ["streams", "Streams"],
      ["push", "Push notifications"],
      ["client-storage", "Client storage"],
      ["comparison", "Comparison"],
    ],
  ],
  [
    "deploy",
    "Deploy",
    [
      ["production", "Production"],
      ["containers", "Containers"],
      ["postgresql", "PostgreSQL"],
      ["valkey", "Valkey and Redis"],
      ["clickhouse", "ClickHouse"],
      ["backups-and-upgrades", "Backups and upgrades"],
      ["monitoring", "Monitoring"],
      ["sizing", "Sizing"],
      ["distributed-sql", "Distributed SQL"],
      ["security", "Security"],
      ["threat-model", "Threat model"],
    ],
  ],
  [
    "reference",
    "Reference",
    [
      ["configuration", "Configuration"],
      ["rest-api", "REST API"],
      ["rest-endpoints", "REST API endpoints"],
      ["aggregation", "Aggregation"],
      ["data-api", "Data API"],
      ["data-endpoints", "Data API endpoints"],
      ["limits", "Limits"],
      ["errors", "Error codes"],
      ["cli", "Command line"],
      ["versioning", "Versions and compatibility"],
    ],
  ],
  [
    "studio",
    "Studio",
    [
      ["index", "Admin dashboard"],
      ["api", "Admin API"],
      ["endpoints", "Admin API endpoints"],
    ],
  ],
  [
    "migrate",
    "Migrate",
    [
      ["from-moralis", "From Moralis v1"],
      ["from-moralis-v2", "From Moralis v2"],
      ["from-parse", "From Parse Server"],
      ["behavior-differences", "Behavior differences"],
    ],
  ],
  [
    "contribute",
    "Contribute",
    [
      ["architecture", "Architecture"],
      ["request-lifecycle", "Request lifecycle"],
      ["indexing", "Chain indexing"],
      ["testing", "Testing"],
      ["proofs", "Proofs and benchmarks"],
      ["recipes", "Recipes"],
      ["releases", "Releases"],
      ["design", "Design system"],
      ["glossary", "Glossary"],
    ],
  ],
];

/** Where servers have the site. */
const BASE = "/docs/";
/** Whose pages are for users and operators. */
const PRODUCT = SECTIONS.map(([, title]) => title).filter((title) => title !== "Contribute");

const link = (folder: string, file: string) => `/${folder}/${file === "index" ? "" : file}`;

export default {
  title: "Purse",
  description: "A self-hosted, wallet-ready backend.",
  lang: "en-US",
  srcDir: resolve(root, "docs"),
  outDir: resolve(root, ".cache/docs"),
  cacheDir: resolve(root, ".cache/vitepress"),
  base: BASE,
  cleanUrls: true,
  lastUpdated: false,
  // The choice of the app and the studio.
  appearance: { storageKey: "purse/theme" },
  head: [["link", { rel: "icon", href: `${BASE}favicon.svg`, type: "image/svg+xml" }]],
  // Legible on the paper of both themes.
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown: { renderer: { rules: Record<string, unknown> } }) {
      // Wide ones scroll, also by keyboard.
      markdown.renderer.rules.table_open = () => '<table tabindex="0">\n';
    },
  },
  // TypeDoc writes these pages; they are not Markdown. Servers of readers are not part of the site.
  ignoreDeadLinks: [/^\/api\//, /^http:\/\/(localhost|127\.0\.0\.1):/],
  vite: {
    plugins: [accessibleTheme()],
    publicDir: resolve(root, ".cache/docs-public"),
    // The esbuild of this older Vite does not know the target of tsconfig.base.json.
    esbuild: { tsconfigRaw: "{}" },
  },
  transformPageData(page: { relativePath: string; description: string; frontmatter: { head?: unknown[] } }) {
    const file = page.relativePath;
    const href = BASE + file;
    page.frontmatter.head = [["link", { rel: "alternate", type: "text/markdown", href }]];
    page.description ||= summaryOf(plainMarkdown(readFileSync(resolve(root, "docs", file), "utf8")));
  },
  buildEnd(site: { outDir: string; pages: string[] }) {
    const sections = SECTIONS.map(([folder, title, pages]) => ({
      title,
      files: pages.map(([file]) => `${folder}/${file}.md`),
    }));
    const where = { source: resolve(root, "docs"), target: site.outDir, base: BASE };
    writeTextPages(where, site.pages, sections, PRODUCT);
  },
  transformHtml: (html: string) => html.replaceAll("vitepress-theme-appearance", "purse/theme"),
  themeConfig: {
    logo: { src: "/favicon.svg", alt: "" },
    editLink: editLink(),
    outline: [2, 3],
    search: { provider: "local" },
    nav: [
      ...SECTIONS.map(([folder, title, [first]]) => ({
        text: title,
        link: link(folder, first?.[0] ?? "index"),
        activeMatch: `^/${folder}/`,
      })),
      { text: "TypeScript API", link: "/api/index.html", target: "_self" },
      { text: version, link: "/reference/versioning", activeMatch: "^$" },
    ],
    sidebar: SECTIONS.map(([folder, title, pages]) => ({
      text: title,
      items: pages.map(([file, text]) => ({ text, link: link(folder, file) })),
    })),
  },
};
