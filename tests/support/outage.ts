import type { BrowserContext, CDPSession, Page, Request } from "playwright-core";
import type { Visit } from "./browser.ts";
import type { Purse } from "./purse.ts";

/** The paths of API requests, without the document, code, styles and images. */
const API = /^\/(server|api|studio\/api|health|ipfs)(\/|$)|^\/files\/./;

/** A request that waits for its response. */
interface PausedRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** What becomes of a request: it is sent, fails, is never answered, or gets this JSON. */
type Outcome = "continue" | "fail" | "hang" | { status: number; json: unknown };

/** The sessions that intercept requests of a context. */
const sessions = new WeakMap<BrowserContext, CDPSession[]>();

/**
 * Intercepts the API and node requests of a context's pages. Playwright's routes would intercept all requests, for
 * which the browser disables its cache: a page would take twice the CPU time to load.
 */
async function interceptApi(
  context: BrowserContext,
  purse: Purse,
  outcomeOf: (request: PausedRequest) => Outcome | Promise<Outcome>,
): Promise<void> {
  for (const page of context.pages()) {
    const session = await context.newCDPSession(page);
    sessions.set(context, [...(sessions.get(context) ?? []), session]);
    session.on("Fetch.requestPaused", async ({ requestId, request }) => {
      const { method, headers, postData: body = "" } = request;
      const url = new URL(request.url);
      const outcome = isApi(url, purse) ? await outcomeOf({ url, method, headers, body }) : "continue";
      if (outcome === "hang") return;
      const sent =
        outcome === "continue"
          ? session.send("Fetch.continueRequest", { requestId })
          : outcome === "fail"
            ? session.send("Fetch.failRequest", { requestId, errorReason: "ConnectionRefused" })
            : session.send("Fetch.fulfillRequest", {
                requestId,
                responseCode: outcome.status,
                responseHeaders: [
                  { name: "Content-Type", value: "application/json" },
                  { name: "Access-Control-Allow-Origin", value: "*" },
                ],
                body: Buffer.from(JSON.stringify(outcome.json)).toString("base64"),
              });
      // The page may have been left meanwhile.
      await sent.catch(() => undefined);
    });
    const patterns = [`${purse.url}/*`, `${purse.rpcUrl}/*`];
    await session.send("Fetch.enable", {
      patterns: patterns.flatMap((urlPattern) =>
        (["XHR", "Fetch", "EventSource", "Image", "Other"] as const).map((resourceType) => ({
          urlPattern,
          resourceType,
        })),
      ),
    });
  }
}

/**
 * Blocks a page's API and node requests, as if both were down, except for some paths; the app
 * itself is still served.
 */
export function disconnectServer(
  context: BrowserContext,
  purse: Purse,
  except: readonly string[] = [],
): Promise<void> {
  return interceptApi(context, purse, ({ url }) => (except.includes(url.pathname) ? "continue" : "fail"));
}

/** Leaves requests pending, like a server that hangs. */
export function hangServer(
  context: BrowserContext,
  purse: Purse,
  except: readonly string[] = [],
): Promise<void> {
  return interceptApi(context, purse, ({ url }) => (except.includes(url.pathname) ? "continue" : "hang"));
}

export async function reconnectServer(context: BrowserContext): Promise<void> {
  for (const session of sessions.get(context) ?? []) await session.detach();
  sessions.delete(context);
}

function isApi(url: URL, purse: Purse): boolean {
  return url.origin === purse.url ? API.test(url.pathname) : url.href.startsWith(purse.rpcUrl);
}

/** Stable names of the resources that a request reads. */
export function namesOf(request: Request, purse: Purse): string[] {
  return namesIn(new URL(request.url()), request.postData() ?? "", purse);
}

function namesIn(url: URL, text: string, purse: Purse): string[] {
  if (!isApi(url, purse)) return [];
  const body = parseBody(text);
  if (url.origin !== purse.url) return [`node ${String(body.method)}`];
  if (url.pathname === "/server/batch" && Array.isArray(body.requests)) {
    return [...new Set(body.requests.map(({ path }) => String(path).replace("/server/", "")))];
  }
  return [url.pathname.replace(/^\/(server|studio\/api)\//, "")];
}

/** Makes requests with this name fail; sends all others. */
export function failApi(context: BrowserContext, purse: Purse, name: string): Promise<void> {
  return interceptApi(context, purse, (request) => {
    if (!namesIn(request.url, request.body, purse).includes(name)) return "continue";
    if (request.url.pathname === "/server/batch") return failBatchEntries(request, name);
    return name.startsWith("node ")
      ? { status: 200, json: { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "No response" } } }
      : { status: 400, json: { code: FAILURE, error: BROKEN } };
  });
}

const FAILURE = 141;
const BROKEN = "It is broken for this test.";

/** Fails only the batch entries with that name. */
async function failBatchEntries({ url, headers, body }: PausedRequest, name: string): Promise<Outcome> {
  const { requests } = parseBody(body);
  const response = await fetch(url, { method: "POST", headers, body });
  const answers: unknown = await response.json();
  const paths = Array.isArray(requests) ? requests.map(({ path }) => String(path)) : [];
  const json = (Array.isArray(answers) ? answers : []).map((answer: unknown, i) =>
    paths[i] === `/server/${name}` ? { error: { code: FAILURE, error: BROKEN } } : answer,
  );
  return { status: response.status, json };
}

function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text || "{}");
    return Object(body);
  } catch {
    return {};
  }
}

export interface PageState {
  /** Number of loading placeholders. */
  skeletons: number;
  /** Number of retry buttons. */
  retries: number;
  /** The titles of empty states. */
  empty: string[];
}

/** The placeholders, retry buttons and empty states of a page. */
export function pageState(page: Page): Promise<PageState> {
  return page.evaluate(() => {
    const all = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    return {
      skeletons: all(".skeleton, [aria-busy=true]:not(button)").length,
      retries: all("button").filter(({ textContent }) => textContent === "Try again").length,
      empty: all(".empty h2").map(({ textContent }) => textContent ?? ""),
    };
  });
}

/** Timeout for a page to show its errors, also on a busy machine. */
const PAGE_TIMEOUT_MS = 40_000;
/** Looking at a page takes it as long as drawing it. */
const STATE_INTERVAL_MS = 250;

/** Waits until the page is as expected; returns the problems if it never is. */
export async function problemsOf(
  path: string,
  page: Page,
  isExpected: (state: PageState) => boolean,
): Promise<string[]> {
  let state = await pageState(page);
  const deadline = Date.now() + PAGE_TIMEOUT_MS;
  while (!isExpected(state) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, STATE_INTERVAL_MS));
    state = await pageState(page);
  }
  return isExpected(state) ? [] : [`${path}: ${JSON.stringify(state)}`];
}

/** The problems of a page during an outage, and after it. */
export async function outageProblemsOf(path: string, page: Page): Promise<string[]> {
  const problemsDuring = await problemsOf(
    path,
    page,
    ({ skeletons, retries, empty }) => skeletons === 0 && retries > 0 && empty.length === 0,
  );
  await reconnectServer(page.context());
  const problemsAfter = await problemsOf(
    `${path} when it is back`,
    page,
    ({ skeletons, retries }) => skeletons === 0 && retries === 0,
  );
  return [...problemsDuring, ...problemsAfter];
}

/** `npm run prove:outages` tries every resource on every page that reads it, `npm test` each resource once. */
export const TRIES_EVERY_PAGE = process.env.PURSE_OUTAGES === "all";

/** A page, and the resources that it reads and cannot do without. */
export interface PageReads {
  path: string;
  names: readonly string[];
}

/** The resources to try on each page; in the short form each one on the first page that reads it. */
export function failuresToTry(reads: readonly PageReads[]): PageReads[] {
  if (TRIES_EVERY_PAGE) return [...reads];
  const tried = new Set<string>();
  return reads
    .map(({ path, names }) => {
      const untried = names.filter((name) => !tried.has(name));
      for (const name of untried) tried.add(name);
      return { path, names: untried };
    })
    .filter(({ names }) => names.length > 0);
}

/** Number of concurrently open pages that mostly wait for retries. */
export const IDLE_PAGES_LIMIT = 6;

/**
 * Runs tasks in a few browser pages, each of which takes one after the other: a page of its own would load the app anew.
 * The results are in the order of the items.
 */
export async function forEach<T, R>(
  items: readonly T[],
  open: () => Promise<Visit>,
  run: (item: T, page: Page, context: BrowserContext) => Promise<R>,
  concurrency = 3,
): Promise<R[]> {
  const queue = [...items.entries()];
  const results: R[] = [];
  const worker = async () => {
    const { page, close } = await open();
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        results[next[0]] = await run(next[1], page, page.context());
        await reconnectServer(page.context());
        // Nothing of the last page goes on.
        await page.goto("about:blank");
      }
    } finally {
      await close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
