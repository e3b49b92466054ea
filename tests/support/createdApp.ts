import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join, resolve } from "node:path";
import { ensurePackagesBuilt } from "../../scripts/build.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
/** Where the packages of the application are installed. */
export const FIXTURE = join(ROOT, "tests/fixtures/createdApp");

/** Where npm puts the packages: `"moralis": "npm:@purse/moralis"`, `"react-moralis": "npm:@purse/react"`. */
const PLACES: Record<string, string> = {
  protocol: "@purse/protocol",
  client: "@purse/client",
  moralis: "moralis",
  react: "react-moralis",
};

export interface CreatedApp {
  /** Its folder, where it is built into `build`. */
  readonly folder: string;
  remove(): void;
}

/** Copies the application to where it finds its own packages, and installs ours in place of the old ones. */
export function placeCreatedApp(): CreatedApp {
  // Always the same folder: the compilers cache their output by path and content.
  const folder = join(FIXTURE, "node_modules/.cache/app");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["src", "types.tsx", "package.json"])
    cpSync(join(FIXTURE, file), join(folder, file), { recursive: true });
  ensurePackagesBuilt();
  for (const [name, place] of Object.entries(PLACES))
    cpSync(join(ROOT, ".cache/packages", name), join(folder, "node_modules", place), { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Builds it with CI set, where warnings fail. Throws with what the build printed. */
export function buildCreatedApp({ folder }: CreatedApp): void {
  execFileSync(process.execPath, [join(FIXTURE, "build.cjs"), folder], {
    encoding: "utf8",
    env: { ...process.env, CI: "true" },
  });
}

/** Compiles `types.tsx` with the types of React 17; answers what the compiler finds. */
export function typeErrors({ folder }: CreatedApp): string {
  const compilerOptions = {
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2024", "dom"],
    jsx: "react-jsx",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.tsx"] }));
  try {
    return execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  } catch (error) {
    return String(Object(error).stdout);
  }
}

/** Serves a built application on any port. */
export async function servePages(app: CreatedApp): Promise<{ origin: string; server: Server }> {
  const page = '<!doctype html><div id="root"></div><script src="/static/js/main.js"></script>';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/static/")) response.setHeader("content-type", "text/html").end(page);
    else if (!existsSync(join(app.folder, "build", pathname))) response.writeHead(404).end();
    else
      response
        .setHeader("content-type", "text/javascript; charset=utf-8")
        .end(readFileSync(join(app.folder, "build", pathname)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The pages are not served");
  return { origin: `http://127.0.0.1:${address.port}`, server };
}
