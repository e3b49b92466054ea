// `npm run dev`: the server, which starts again when its sources change, and the app and the studio, whose modules are
// replaced in the page. All are at one address, as with `npm start`; nothing is built.
import { spawn } from "node:child_process";
import { readFileSync, watch } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createProbe } from "node:net";
import { join } from "node:path";
import { execute } from "../packages/cli/bin/execute.js";
import { compiled, ensureInstalled, lowMemory, node, root } from "./install.mjs";

/** What the server serves besides pages. */
const SERVER_PATHS =
  /^\/(server|api|api-docs|ipfs|packages|docs|graphql|mcp|studio\/api|studio\/script-sandbox|config\.json|health|ready|metrics|moralis|moralis-v1|authenticate)(\/|\?|$)/;

ensureInstalled();
if (process.execPath !== node && process.env.PURSE_DEV_NODE === undefined) {
  // The pinned version, which runs TypeScript.
  execute(node, process.argv.slice(1), { ...process.env, PURSE_DEV_NODE: "1" });
} else await develop();

async function develop() {
  const port = Number(process.env.PURSE_PORT ?? 1337);
  const serverPort = await freePort();
  const server = runServer(port, serverPort);
  const pages = await servePages(port, serverPort).catch(async (error) => {
    await server.stop();
    throw error;
  });
  console.log(`Purse in development: http://127.0.0.1:${port}`);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, async () => {
      await Promise.all([server.stop(), pages.close()]);
      process.exit(0);
    });
}

/** Runs the server from its sources. It gets the address of the pages as its own. */
function runServer(port, serverPort) {
  const folders = ["protocol", "kernel", "outbound", "workers", "chain", "devchain", "server", "cli"];
  const env = {
    ...compiled,
    ...lowMemory.env,
    PURSE_SERVER_URL: `http://127.0.0.1:${port}/server`,
    ...process.env,
    PURSE_DEV_NODE: undefined,
    NODE_ENV: "development",
    PURSE_PORT: String(serverPort),
  };
  let child;
  let isStopping = false;
  let isReplaced = false;
  let changed;
  const start = () => {
    child = spawn(process.execPath, ["--enable-source-maps", join(root, "packages/cli/src/purse.ts")], {
      cwd: root,
      stdio: "inherit",
      env,
    });
    child.on("exit", () => {
      if (isStopping) return;
      if (isReplaced) {
        isReplaced = false;
        start();
      } else console.error("The server has ended. Waiting for a change …");
    });
  };
  const restart = () => {
    if (child.exitCode !== null || child.signalCode !== null) return start();
    isReplaced = true;
    child.kill("SIGINT");
  };
  const watchers = folders.map((name) =>
    watch(join(root, "packages", name, "src"), { recursive: true }, (_, file) => {
      if (!/\.ts$/.test(file ?? "") || /\.test\.ts$/.test(file)) return;
      clearTimeout(changed);
      // Editors write a file in several steps.
      changed = setTimeout(restart, 50);
    }),
  );
  start();
  return {
    async stop() {
      isStopping = true;
      for (const watcher of watchers) watcher.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      await exit;
    },
  };
}

/** Serves the pages of both apps, and sends all other requests to the server. */
async function servePages(port, serverPort) {
  const { createLogger, createServer } = await import("vite");
  const { appConfig } = await import("../apps/viteConfig.ts");
  const http = createHttpServer();
  const logger = createLogger("warn");
  const { error: logError } = logger;
  // While the server starts, requests of open pages are refused.
  logger.error = (message, options) => {
    if (!message.includes("proxy error")) logError(message, options);
  };
  const target = `http://127.0.0.1:${serverPort}`;
  const vite = await createServer({
    ...appConfig("index.html"),
    configFile: false,
    root: join(root, "apps"),
    cacheDir: join(root, ".cache/vite"),
    appType: "custom",
    customLogger: logger,
    optimizeDeps: { entries: ["web/index.html", "studio/studio.html"] },
    server: {
      middlewareMode: true,
      hmr: { server: http },
      proxy: { [SERVER_PATHS.source]: { target, ws: true } },
      fs: { allow: [root] },
    },
  });
  http.on("request", (request, response) =>
    vite.middlewares(request, response, async () => {
      try {
        const { url = "/" } = request;
        const app = /^\/studio(\/|\?|$)/.test(url) ? "studio/studio.html" : "web/index.html";
        const html = readFileSync(join(root, "apps", app), "utf8");
        const page = html.replaceAll('"/src/', `"/${app.split("/")[0]}/src/`);
        response.setHeader("content-type", "text/html; charset=utf-8");
        response.end(await vite.transformIndexHtml(url, page));
      } catch (error) {
        response.statusCode = 500;
        response.end(String(error));
      }
    }),
  );
  await new Promise((resolve, reject) => http.once("error", reject).listen(port, "127.0.0.1", resolve));
  return {
    async close() {
      http.closeAllConnections();
      http.close();
      await vite.close();
    },
  };
}

async function freePort() {
  const probe = createProbe();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
