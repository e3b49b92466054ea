import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** What every page stands on; Vite's helper for `import()` goes with it, so that it brings nothing else along. */
const REACT =
  /preload-helper|node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|lucide-react|@tanstack[\\/](history|store|react-store|router-core|react-router))[\\/]/;

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // Browsers with ECMAScript 2022 know modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Two pages: the app, and the studio, which the server answers with at /studio and below.
      input: ["index.html", "studio.html"],
      output: {
        codeSplitting: {
          // What a page loads at once comes in few files, rather than in one for each set of pages that share it.
          groups: [
            { name: "react", tags: ["$initial"], test: REACT, priority: 3 },
            { name: "protocol", tags: ["$initial"], test: /packages[\\/]protocol[\\/]/, priority: 3 },
            { name: "client", tags: ["$initial"], test: /packages[\\/](client|react)[\\/]/, priority: 2 },
            {
              name: "texts",
              tags: ["$initial"],
              test: /app[\\/]src[\\/](texts|explain|usePage)/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
