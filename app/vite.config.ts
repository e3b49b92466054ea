import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** What every page stands on; Vite's helper for `import()` goes with it, so that it brings nothing else along. */
const REACT =
  /preload-helper|node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|lucide-react|@tanstack[\\/](history|store|react-store|router-core|react-router))[\\/]/;

/** Small parts that both pages load at once, or other pages later. */
const PARTS =
  /app[\\/]src[\\/](texts[\\/]|explain|usePageTitle|[sS]ettings|money[\\/]address\.|shell[\\/](pages|theme|ThemeSwitch|LanguageSwitch|useShortcuts)\.|design[\\/](Button|states|Toasts|CopyButton|Code|Status|Tabs)\.|pages[\\/](account[\\/]device|home[\\/]useServerStatus|explorer[\\/]meaning)\.)/;

export default defineConfig({
  plugins: [react(), fontAtOnce()],
  build: {
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // Browsers with ECMAScript 2022 know modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The client loads some of its parts late; this page has the whole of it at once.
      checks: { ineffectiveDynamicImport: false },
      // Two pages: the app, and the studio, which the server answers with at /studio and below.
      input: ["index.html", "studio.html"],
      output: {
        codeSplitting: {
          // What a page loads at once comes in few files, rather than in one for each set of pages that share it.
          groups: [
            { name: "react", tags: ["$initial"], test: REACT, priority: 3 },
            { name: "protocol", tags: ["$initial"], test: /packages[\\/]protocol[\\/]/, priority: 3 },
            { name: "client", tags: ["$initial"], test: /packages[\\/](client|react)[\\/]/, priority: 2 },
            { name: "parts", tags: ["$initial"], test: PARTS, priority: 1 },
          ],
        },
      },
    },
  },
});

/** Asks for the font of Latin text with the document, rather than once the styles have said that they want it. */
function fontAtOnce(): Plugin {
  return {
    name: "font-at-once",
    transformIndexHtml(_, { bundle = {} }) {
      const href = Object.keys(bundle).find((file) => /inter-latin-wght-normal.*\.woff2$/.test(file));
      if (!href) return [];
      const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${href}` };
      return [{ tag: "link", attrs, injectTo: "head" }];
    },
  };
}
