import { resolve } from "node:path";
import { editLink, version } from "./manifest.ts";

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
      ["aggregation", "Aggregation"],
      ["data-api", "Data API"],
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
    ],
  ],
  [
    "migrate",
    "Migrate",
    [
      ["from-moralis", "From Moralis v1"],
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

const link = (folder: string, file: string) => `/${folder}/${file === "index" ? "" : file}`;

export default {
  title: "Purse",
  description: "A self-hosted, wallet-ready backend.",
  lang: "en-US",
  srcDir: resolve(root, "docs"),
  outDir: resolve(root, ".cache/docs"),
  cacheDir: resolve(root, ".cache/vitepress"),
  // Where servers have it.
  base: "/docs/",
  cleanUrls: true,
  lastUpdated: false,
  // The choice of the app and the studio.
  appearance: { storageKey: "purse/theme" },
  head: [["link", { rel: "icon", href: "/docs/favicon.svg", type: "image/svg+xml" }]],
  // Legible on the paper of both themes.
  markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  // TypeDoc writes these pages; they are not Markdown. Servers of readers are not part of the site.
  ignoreDeadLinks: [/^\/api\//, /^http:\/\/(localhost|127\.0\.0\.1):/],
  vite: {
    publicDir: resolve(root, ".cache/docs-public"),
    // The esbuild of this older Vite does not know the target of tsconfig.base.json.
    esbuild: { tsconfigRaw: "{}" },
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
