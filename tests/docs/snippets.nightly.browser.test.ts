import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as client from "@purse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snippets as homeSnippets } from "../../apps/web/src/pages/home/snippets.ts";
import { testBrowser } from "../support/browser.ts";
import { freePort } from "../support/freePort.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhookReceiver.ts";
import {
  filesOf,
  type Program,
  programsOf,
  type SnippetPage,
  snippetPage,
  snippetPages,
} from "./snippets.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const execute = promisify(execFile);
/** Packages are built at the first request for one. */
const TIMEOUT = { timeout: 600_000 };

/** Where the pages are run; below the repository, whose packages their programs find. */
const home = mkdtempSync(join(ROOT, ".cache/snippets-"));
/** The reader's own server, to which streams send. */
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
});

/** `PURSE_SNIPPETS=guide/files` runs the pages whose path contains it. */
const pages = snippetPages().filter(({ path }) => path.includes(process.env.PURSE_SNIPPETS ?? ""));

describe("every code block that readers copy", () => {
  it.each(pages.filter((page) => programsOf(page, "program").length > 0 || filesOf(page).size > 0))(
    "of $path runs on a fresh server",
    TIMEOUT,
    runPage,
  );

  const programs = pages.flatMap((page) =>
    [...programsOf(page, "program"), ...programsOf(page, "compiled")]
      .filter(({ language }) => language.startsWith("ts"))
      .map((program) => ({ path: page.path, ...program })),
  );
  it.skipIf(programs.length === 0)("in TypeScript compiles", TIMEOUT, async () => {
    const folder = join(home, "compiled");
    for (const { path, line, language, code } of programs)
      write(join(folder, `${path.replaceAll("/", "-")}-${line}.${language}`), moduleOf(code));
    const compilerOptions = { noEmit: true, composite: false, jsx: "react-jsx", lib: ["ES2024", "DOM"] };
    const relaxed = { noUnusedLocals: false, noUnusedParameters: false, types: ["node"] };
    write(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(ROOT, "tsconfig.base.json"),
        compilerOptions: { ...compilerOptions, ...relaxed, declaration: false, emitDeclarationOnly: false },
        include: ["*.ts", "*.tsx"],
      }),
    );
    const errors = await execute(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
    expect(errors).toBe("");
  });

  it.each([true, false])(
    "of the app's home page runs on a fresh server (development: %s)",
    TIMEOUT,
    async (development) => {
      const shown = homeSnippets({ serverUrl: "http://127.0.0.1:1337/server", appId: "my-app", development });
      const blocks = shown.map(({ key, install, code }) => {
        const installed = install === undefined || key === "react" ? "" : fenced("sh", install);
        switch (key) {
          case "new":
            return `${installed}<!-- file: hello.mjs -->\n\n${fenced("js", code)}${fenced("sh", "node hello.mjs")}`;
          case "page":
            return fenced("html", code);
          case "react":
          case "moralis":
            // React needs a build, and old apps have their package: the tests of starters and old clients run both.
            return "";
          case "rest":
            return fenced("sh", code);
          default:
            return installed + fenced("js", code);
        }
      });
      await runPage(snippetPage(`home-${development}`, blocks.join("")));
    },
  );
});

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\`\n\n`;
}

/** Runs a page as a reader would: the commands, then the programs, then the pages for browsers. */
async function runPage(page: SnippetPage): Promise<void> {
  const folder = join(home, page.path.replace(/\W/g, "-"));
  const files = filesOf(page);
  const ofServer = [...files.keys()].some((name) => name === "purse.config.ts" || name.startsWith("cloud/"));
  mkdirSync(folder);
  write(join(folder, "package.json"), '{ "type": "module" }');
  // The address is known when the server has started, which reads its files before.
  for (const [name, text] of files) write(join(folder, name), text);
  const purse = await hostPurse({
    dataDir: ofServer ? folder : undefined,
    cloudCode: !ofServer,
    devChain: true,
    env: { PURSE_ALLOW_PRIVATE_HOOKS: "1" },
  });
  try {
    for (const [name, text] of files) write(join(folder, name), addressed(text, purse));
    const programs = programsOf(page, "program").map((program) => ({
      ...program,
      code: addressed(program.code, purse),
    }));
    for (const language of ["sh", "js", "ts", "html"])
      for (const program of programs.filter((each) => each.language === language)) {
        const place = `${page.path}:${program.line}`;
        await runProgram(program, folder, purse).catch((error: unknown) => {
          throw new Error(`${place} fails:\n${outputOf(error)}\n${program.code}`, { cause: error });
        });
      }
  } finally {
    await purse.remove();
  }
}

async function runProgram({ language, code, line }: Program, folder: string, purse: Purse): Promise<void> {
  const options = { cwd: folder, timeout: 300_000, env: await environment(purse) };
  if (language === "sh") {
    await execute("bash", ["-c", `${SHELL}\n${code}`], options);
  } else if (language === "html") {
    const file = join(folder, `page-${line}.html`);
    writeFileSync(file, code);
    await openPage(pathToFileURL(file).href, { isLive: code.includes("subscribe(") });
  } else if (/\brequire\(/.test(code)) {
    const file = join(folder, `program-${line}.cjs`);
    writeFileSync(file, code);
    await execute(join(ROOT, "node_modules/.bin/node"), [file], options);
  } else {
    const file = join(folder, `program-${line}.${language}`);
    const isStarted = /\b(start|initialize)\(/.test(code);
    const started = `await start(${JSON.stringify({ serverUrl: purse.serverUrl, appId: purse.appId, tracksCurrentUser: true })});\n`;
    writeFileSync(file, `${moduleOf(isStarted ? code : started + code)}\nprocess.exit();\n`);
    await execute(join(ROOT, "node_modules/.bin/node"), [file], options);
  }
}

/** Opens a page twice, and waits until a click in one of them shows something: in both, if the page is live. */
async function openPage(url: string, { isLive }: { isLive: boolean }): Promise<void> {
  const context = await (await testBrowser()).newContext();
  try {
    const [first, second] = [await context.newPage(), await context.newPage()];
    const [errors, messages]: [string[], string[]] = [[], []];
    for (const page of [first, second]) {
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => message.type() === "error" && messages.push(message.text()));
      await page.goto(url);
    }
    await expect.poll(() => first.evaluate(() => document.readyState)).toBe("complete");
    const buttons = first.locator("button");
    if ((await buttons.count()) > 0) {
      // The page may still be connecting: a click before is lost.
      await expect
        .poll(
          async () => {
            await buttons.first().click();
            return (isLive ? second : first).locator("li").count();
          },
          { timeout: 60_000, message: "a list item after a click" },
        )
        .toBeGreaterThan(0)
        .catch((error: unknown) => {
          throw new Error(`${String(error)}\n${[...errors, ...messages].join("\n")}`);
        });
    } else await expect.poll(() => first.locator("body").innerText(), { timeout: 60_000 }).toMatch(/\w/);
    expect(errors).toEqual([]);
  } finally {
    await context.close();
  }
}

/**
 * Commands of a checkout run there, `npm start` until the server responds. An error of a request ends the script.
 */
const SHELL = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error "$@" | tee >(cat >&2); }
npm() {
  case "$1" in
    run) runScript "\${@:2}" ;;
    start) startCheckout ;;
    *) command npm "$@" ;;
  esac
}
# Files that the command purse writes are those of the page.
runScript() {
  if [ "$1" = purse ]; then "$CHECKOUT/node_modules/.bin/node" "$CHECKOUT/packages/cli/src/cli.ts" "\${@:3}"
  else (cd "$CHECKOUT" && command npm run "$@"); fi
}
startCheckout() {
  PURSE_PORT=$FREE_PORT PURSE_DEV_CHAIN_PORT=$FREE_CHAIN_PORT PURSE_DATA_DIR=$PWD/started \\
    node "$CHECKOUT/scripts/start.mjs" &
  command curl --silent --fail --retry 300 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$FREE_PORT/health"
  kill $! && wait $! || true
}`;

async function environment({ appId, masterKey, dataDir, serverUrl }: Purse): Promise<NodeJS.ProcessEnv> {
  return {
    ...process.env,
    // As in a shell, not as in a test.
    VITEST: undefined,
    NODE_ENV: undefined,
    CHECKOUT: ROOT,
    FREE_PORT: String(await freePort()),
    FREE_CHAIN_PORT: String(await freePort()),
    APP_ID: appId,
    MASTER_KEY: masterKey,
    SERVER_URL: serverUrl,
    PURSE_APP_ID: appId,
    PURSE_MASTER_KEY: masterKey,
    PURSE_DATA_DIR: dataDir,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_yes: "true",
  };
}

/** Replaces the addresses and ids of the pages by those of a server. */
function addressed(text: string, { url, appId, rpcUrl, masterKey }: Purse): string {
  return text
    .replaceAll(/https:\/\/(purse\.example|(api\.)?example\.org)(?=\/|"|')/g, url)
    .replaceAll("wss://api.example.org", url.replace("http", "ws"))
    .replaceAll("http://127.0.0.1:1337", url)
    .replaceAll("http://127.0.0.1:8545", rpcUrl)
    .replaceAll("http://127.0.0.1:3000/moralis", receiver.url)
    .replaceAll('"my-app"', JSON.stringify(appId))
    .replaceAll("my-app'", `${appId}'`)
    .replaceAll(/<your application id>|(?<=Application-Id: )…/g, appId)
    .replaceAll(/(?<=Master-Key: )…/g, masterKey);
}

/** A module that imports what it uses of the client and does not import itself. */
function moduleOf(code: string): string {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const own = code.matchAll(
    /(?:const|let|function|class) (\w+)|import (?:type )?(\w+,? ?)?\{([^}]*)\}|import (\w+) from/g,
  );
  const declared = new Set([...own].flatMap((match) => match.slice(1).join(" ").match(/\w+/g) ?? []));
  const names = Object.keys(client).filter(
    (name) => words.has(name) && !declared.has(name) && !(name in globalThis) && name !== "default",
  );
  const imports = names.length > 0 ? `import { ${names.join(", ")} } from "@purse/client";\n` : "";
  return `${imports}${code}\nexport {};\n`;
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stdout = "", stderr = "" }: { stdout?: unknown; stderr?: unknown } = Object(error);
  return stdout || stderr ? `${String(stdout)}${String(stderr)}` : error.message;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o644);
}
