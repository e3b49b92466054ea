import { resolve } from "node:path";
import { modulesOf, NOTICES_FILE, noticesOf } from "../../packages/thirdParty.ts";
import { accessibleTheme } from "./accessibleTheme.ts";
import { editLink, version } from "./manifest.ts";
import { writeTextPages } from "./textPages.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Sections of the sidebar: folder, title, pages as [file, title, contents]. Pages of docs/internals are not listed. */
const SECTIONS: [folder: string, title: string, pages: [file: string, title: string, contents: string][]][] =
  [
    [
      "guide",
      "Guide",
      [
        ["getting-started", "Getting started", "Install, start, and a first program"],
        ["packages", "Packages", "Packages that a server hands out, and a page without a build"],
        ["starters", "Starters", "Apps with React, Next.js or Node.js from one command"],
        ["tutorial", "Tutorial", "A guest book with wallet sign-in and live data in 30 minutes"],
        ["tour", "A tour of the app", "What the included app can do"],
        ["objects", "Objects", "Save, read, change and delete objects; types, pointers and relations"],
        ["queries", "Queries", "Conditions, sorting, pages, counts, geo, text, aggregates"],
        ["permissions", "Permissions", "ACLs, roles, class-level and pointer permissions, protected fields"],
        ["users", "Users, sessions and mails", "Sign-up, sign-in, sessions, password reset and mails"],
        ["files", "Files", "Upload, read, resume and transform files"],
        ["transactions", "Transactions", "Several changes at once, and concurrent changes"],
        ["migrations", "Migrations", "Change stored objects once, with a new version of an app"],
        ["cookbook", "Cookbook", "Short answers to common tasks"],
        ["troubleshooting", "Troubleshooting", "Problems by what you see"],
        ["client", "Client SDK", "The SDK for browsers and Node.js, and existing applications"],
        ["react-hooks", "React hooks", "Provider and hooks for React"],
        ["wallets", "Wallets", "Sign-in with wallets, connectors, messages of other libraries"],
        ["passkeys", "Passkeys", "Sign-in with passkeys, as first or second factor"],
        ["contracts", "Transactions and contracts", "Send transactions and call contracts"],
        ["cloud-functions", "Cloud code", "Functions, triggers, jobs, webhooks and schedules"],
        ["modules", "Modules", "Add features with routes, classes and settings of your own"],
        ["live-queries", "Live queries", "Follow the objects of a query"],
        ["graphql", "GraphQL", "Queries, mutations and subscriptions over GraphQL"],
        ["mcp", "AI tools (MCP)", "Let assistants read and change data"],
        ["streams", "Streams", "Send on-chain activity to webhooks"],
        ["push", "Push notifications", "Notifications for browsers, iOS and Android"],
        ["client-storage", "Client storage", "Pinned objects and encrypted users in the browser"],
        ["comparison", "Comparison", "Purse beside Parse Server, Supabase and others"],
      ],
    ],
    [
      "deploy",
      "Deploy",
      [
        ["production", "Production", "Steps, proxies, several processes, limits"],
        ["containers", "Containers", "Docker, compose and Kubernetes"],
        ["postgresql", "PostgreSQL", "Setup, replicas, retention, how writes and changes work"],
        ["valkey", "Valkey and Redis", "What Valkey or Redis takes over"],
        ["clickhouse", "ClickHouse", "Chain events in ClickHouse"],
        ["backups-and-upgrades", "Backups and upgrades", "Back up, restore, upgrade and downgrade"],
        ["monitoring", "Monitoring", "Health, metrics, alerts, logs and traces"],
        ["sizing", "Sizing", "How much one server carries, and what it costs"],
        ["distributed-sql", "Distributed SQL", "Citus, YugabyteDB and CockroachDB"],
        ["security", "Security", "What was attacked, advisories, a checklist"],
        ["threat-model", "Threat model", "Who could attack what, and what protects it"],
      ],
    ],
    [
      "reference",
      "Reference",
      [
        ["configuration", "Configuration", "All settings"],
        ["rest-api", "REST API", "Headers, routes, operations and errors of the Parse API"],
        [
          "rest-endpoints",
          "REST API endpoints",
          "Every endpoint of the Parse API with parameters and examples",
        ],
        ["aggregation", "Aggregation", "Stages and operators of pipelines"],
        ["data-api", "Data API", "Chain data: chains, index, tokens, NFTs, prices, wallets"],
        [
          "data-endpoints",
          "Data API endpoints",
          "Every endpoint of the data API with parameters and examples",
        ],
        ["limits", "Limits", "Limits of requests, objects and time"],
        ["errors", "Error codes", "Error codes and what they mean"],
        ["cli", "Command line", "Commands of purse"],
        ["versioning", "Versions and compatibility", "What versions promise"],
      ],
    ],
    [
      "studio",
      "Studio",
      [
        ["index", "Admin dashboard", "What operators do in the studio"],
        ["api", "Admin API", "Routes of the admin API"],
        ["endpoints", "Admin API endpoints", "Every endpoint of the admin API with parameters and examples"],
      ],
    ],
    [
      "migrate",
      "Migrate",
      [
        ["from-moralis", "From Moralis v1", "Move an application of Moralis v1"],
        ["from-moralis-v2", "From Moralis v2", "Move programs of Moralis v2: chain data, Auth API, streams"],
        ["from-parse", "From Parse Server", "Move an application and its data from Parse Server"],
        [
          "behavior-differences",
          "Behavior differences",
          "What old packages and Parse Server did, what Purse does, and what to do",
        ],
      ],
    ],
    [
      "contribute",
      "Contribute",
      [
        ["architecture", "Architecture", "Packages, layers and decisions"],
        ["request-lifecycle", "Request lifecycle", "The steps of a request"],
        ["indexing", "Chain indexing", "How chains are indexed"],
        ["testing", "Testing", "Kinds of tests, and how to write them"],
        ["proofs", "Proofs and benchmarks", "Long runs and benchmarks"],
        ["recipes", "Recipes", "How to add settings, routes and pages"],
        ["releases", "Releases", "How packages are published"],
        ["design", "Design system", "Tokens and components"],
        ["glossary", "Glossary", "Terms, one for each concept"],
      ],
    ],
  ];

/** Where servers have the site. */
const BASE = "/docs/";
/** Whose pages are for users and operators. */
const PRODUCT = SECTIONS.map(([, title]) => title).filter((title) => title !== "Contribute");

/** What pages have, by their files. */
const CONTENTS = new Map<string, string>(
  SECTIONS.flatMap(([folder, , pages]) =>
    pages.map(([file, , contents]) => [`${folder}/${file}.md`, contents] as const),
  ),
);

const link = (folder: string, file: string) => `/${folder}/${file === "index" ? "" : file}`;

/** The licenses of what the pages contain. */
function thirdPartyNotices() {
  return {
    name: "third-party-notices",
    generateBundle(
      this: { emitFile(file: { type: "asset"; fileName: string; source: string }): void },
      _: unknown,
      files: Record<string, { type: string; moduleIds?: readonly string[] }>,
    ) {
      const source = noticesOf(modulesOf(Object.values(files)));
      this.emitFile({ type: "asset", fileName: NOTICES_FILE, source });
    },
  };
}

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
    plugins: [accessibleTheme(), thirdPartyNotices()],
    publicDir: resolve(root, ".cache/docs-public"),
    // The esbuild of this older Vite does not know the target of tsconfig.base.json.
    esbuild: { tsconfigRaw: "{}" },
  },
  transformPageData(page: { relativePath: string; description: string; frontmatter: { head?: unknown[] } }) {
    const file = page.relativePath;
    const href = BASE + file;
    page.frontmatter.head = [["link", { rel: "alternate", type: "text/markdown", href }]];
    page.description ||= CONTENTS.get(file) ?? "";
  },
  buildEnd(site: { outDir: string; pages: string[] }) {
    const sections = SECTIONS.map(([folder, title, pages]) => ({
      title,
      pages: pages.map(([file, , contents]) => ({ file: `${folder}/${file}.md`, contents })),
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
