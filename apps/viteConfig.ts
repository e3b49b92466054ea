import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { constants } from "node:zlib";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type UserConfig } from "vite";
import { compression, defineAlgorithm } from "vite-plugin-compression2";
import { NOTICES_FILE, noticesOf } from "../scripts/packages/thirdParty.ts";
import { pagePreloads } from "./pagePreloads.ts";

/** The libraries of every page, with the bundler's helpers, which would otherwise be requests of their own. */
const REACT =
  /preload-helper|rolldown[\\/]runtime|node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|lucide-react|@tanstack[\\/](history|store|react-store|router-core|react-router))[\\/]/;

/** What most pages share, in few files: each one costs a phone a request. */
const QUERY = /@tanstack[\\/](query-core|react-query)[\\/]|src[\\/]query[\\/]/;
const COMMON =
  /packages[\\/]ui[\\/]src[\\/](jsonStorage|components[\\/](SwitchAndCheckbox|Address|formatAddress|Identicon|QueryState|useAction|Field|Table))\.|apps[\\/]web[\\/]src[\\/](money[\\/](fiat|amount|decimal)|wallet[\\/](chains|batchCall|useAddress|userNames|checksum|holdings|AssetIcon)|pages[\\/](send[\\/]useAddressBook|swap[\\/]useDex))\./;
/** Small parts that the home page shares with most others. */
const SHARED =
  /packages[\\/]ui[\\/]src[\\/](components[\\/](Status|RelativeTime|CopyButton|Skeleton)\.|format[\\/](numbers|dates)\.|query[\\/]withTimeout)|pages[\\/]home[\\/](ChainStatus|useServerStatus)/;
/** Small styles of most pages, in one file. */
const SHARED_STYLES =
  /(components[\\/](Code|Table|QueryState|SwitchAndCheckbox)|wallet[\\/]AssetIcon|pages[\\/]home[\\/]Home)\.css/;
/** With the base of the other components of this library. */
const TABS = /packages[\\/]ui[\\/]src[\\/]components[\\/](Tabs|Code)\./;
const DIALOG = /packages[\\/]ui[\\/]src[\\/]components[\\/](Dialog|IconButton)\./;
const FORMS = /packages[\\/]ui[\\/]src[\\/]forms[\\/]/;
const ICONS = /node_modules[\\/]lucide-react[\\/]/;
const TOKENS = /pages[\\/]portfolio[\\/](portfolioTotal|tokenRows|spamOverrides|watched)\.|money[\\/]spam\./;
const EXPLORER =
  /pages[\\/]explorer[\\/](dataApi|dataQueries|ExplorerContext|SearchBox|EntityLinks|Amount|tables|MethodChip|GasUsage)\./;

/** The highest quality: 7 % less than with 9, for a few seconds of the build. */
const BROTLI = defineAlgorithm("brotliCompress", {
  params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
});

/** The build of an app whose document is the file `html` in its folder. The server serves all apps at `/`. */
export function appConfig(html: string): UserConfig {
  return defineConfig({
    // The server sends the compressed files as they are.
    plugins: [
      react(),
      compileCatalogs(),
      pagePreloads(),
      chunkList(),
      thirdPartyNotices(),
      compressionOfFiles(),
    ],
    resolve: {
      alias: [{ find: /^\.\/encryptedUser\.ts$/, replacement: join(import.meta.dirname, "plainUser.ts") }],
    },
    // A worker whose source a page sends to another origin is one file.
    worker: { format: "iife", rolldownOptions: { output: { codeSplitting: false } } },
    publicDir: join(import.meta.dirname, "../packages/ui/public"),
    build: {
      target: "es2022",
      sourcemap: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 700,
      // Browsers with ECMAScript 2022 know modulepreload.
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // The client imports some of its modules dynamically, which the first page already has.
        checks: { ineffectiveDynamicImport: false },
        input: html,
        output: {
          codeSplitting: {
            // What the first page loads comes in few files, which compress better than one for each set of pages that share it.
            groups: [
              { name: "react", tags: ["$initial"], test: REACT, priority: 3 },
              {
                name: "client",
                tags: ["$initial"],
                test: /packages[\\/](protocol|client|react)[\\/]/,
                priority: 2,
              },
              // Without the entry, so that the document's script stays one.
              {
                name: "app",
                tags: ["$initial"],
                test: /packages[\\/]ui[\\/]|apps[\\/][^\\/]+[\\/]src[\\/](?!main)/,
                priority: 1,
              },
              {
                name: "shared",
                test: (id) => SHARED.test(id) || SHARED_STYLES.test(id),
                priority: 0.9,
              },
              { name: "query", test: QUERY, priority: 0.5 },
              { name: "common", test: COMMON, priority: 0.4 },
              { name: "tabs", test: TABS, priority: 0.3 },
              { name: "dialog", test: DIALOG, priority: 0.25 },
              { name: "forms", test: FORMS, priority: 0.2 },
              { name: "icons", test: ICONS, minShareCount: 2, priority: 0.2 },
              { name: "tokens", test: TOKENS, priority: 0.3 },
              { name: "explorer", test: EXPLORER, priority: 0.3 },
            ],
          },
        },
      },
    },
  });
}

/** Compresses the files of a build. */
function compressionOfFiles(): Plugin {
  return { ...compression({ algorithms: ["gzip", BROTLI], threshold: 1024 }), apply: "build" };
}

/** Writes what the scripts of a build consist of to a file, from which `scripts/appSizes.ts` finds out what pages load. */
function chunkList(): Plugin {
  let app = "";
  return {
    name: "chunk-list",
    apply: "build",
    configResolved({ root }) {
      app = basename(root);
    },
    writeBundle(_, files) {
      const chunks = Object.values(files).flatMap((file) => {
        if (file.type !== "chunk") return [];
        const { fileName, facadeModuleId, isDynamicEntry, imports } = file;
        const modules = Object.entries(file.modules).flatMap(([id, { renderedLength }]) =>
          renderedLength > 0 ? [{ id, renderedLength }] : [],
        );
        return [{ fileName, facadeModuleId, isDynamicEntry, imports, modules }];
      });
      const cache = join(import.meta.dirname, "../.cache");
      mkdirSync(cache, { recursive: true });
      writeFileSync(join(cache, `${app}-chunks.json`), JSON.stringify(chunks));
    },
  };
}

/** Writes the notices of the libraries and fonts of an app beside its document; the studio's have a name of their own. */
function thirdPartyNotices(): Plugin {
  let root = "";
  return {
    name: "third-party-notices",
    apply: "build",
    configResolved(config) {
      root = config.root;
    },
    generateBundle(_, files) {
      const modules = Object.values(files).flatMap((file) =>
        file.type === "chunk" ? file.moduleIds : file.originalFileNames.map((name) => join(root, name)),
      );
      const fileName = basename(root) === "web" ? NOTICES_FILE : `${basename(root)}-${NOTICES_FILE}`;
      this.emitFile({ type: "asset", fileName, source: noticesOf(modules) });
    },
  };
}

/** Compiles the messages of the catalogs, so that browsers need no parser for them; missing translations are left out. */
function compileCatalogs(): Plugin {
  return {
    name: "compile-catalogs",
    enforce: "pre",
    apply: "build",
    transform: {
      filter: { id: /[\\/]i18n[\\/][a-z]+\.json$/ },
      handler(code) {
        const catalog: Record<string, string> = JSON.parse(code);
        const messages = Object.entries(catalog).filter(([, message]) => message !== "");
        return JSON.stringify(
          Object.fromEntries(messages.map(([id, message]) => [id, compileMessageOrThrow(message)])),
        );
      },
    },
  };
}
