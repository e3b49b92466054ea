import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // Two pages: the app, and the studio, which the server answers with at /studio and below.
    rolldownOptions: { input: ["index.html", "studio.html"] },
  },
});
