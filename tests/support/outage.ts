import type { BrowserContext, Page, Request, Route } from "playwright-core";
import type { Purse } from "./purse.ts";

/** The paths of API requests, without the document, code, styles and images. */
const API = /^\/(server|api|studio\/api|health|ipfs)(\/|$)|^\/files\/./;

/**
 * Blocks a page's API and node requests, as if both were down, except for some paths; the app
 * itself is still served.
 */
export async function disconnectServer(
  context: BrowserContext,
  purse: Purse,
  except: readonly string[] = [],
): Promise<void> {
  await context.route(
    (url) => isApi(url, purse) && !except.includes(url.pathname),
    (route) => route.abort("connectionrefused"),
  );
}

/** Leaves requests pending, like a server that hangs. */
export async function hangServer(
  context: BrowserContext,
  purse: Purse,
  except: readonly string[] = [],
): Promise<void> {
  await context.route(
    (url) => isApi(url, purse) && !except.includes(url.pathname),
    () => undefined,
  );
}

export async function reconnectServer(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: "ignoreErrors" });
}

function isApi(url: URL, purse: Purse): boolean {
  return url.origin === purse.url ? API.test(url.pathname) : url.href.startsWith(purse.rpcUrl);
}

/** Stable names of the resources that a request reads. */
export function namesOf(request: Request, purse: Purse): string[] {
  const url = new URL(request.url());
  if (!isApi(url, purse)) return [];
  const body = bodyOf(request);
  if (url.origin !== purse.url) return [`node ${String(body.method)}`];
  if (url.pathname === "/server/batch" && Array.isArray(body.requests)) {
    return [...new Set(body.requests.map(({ path }) => String(path).replace("/server/", "")))];
  }
  return [url.pathname.replace(/^\/(server|studio\/api)\//, "")];
}

/** Makes requests with this name fail; forwards all others. */
export async function failApi(context: BrowserContext, purse: Purse, name: string): Promise<void> {
  await context.route(
    (url) => isApi(url, purse),
    async (route) => {
      const request = route.request();
      if (!namesOf(request, purse).includes(name)) return route.continue();
      if (new URL(request.url()).pathname === "/server/batch") return failBatchEntries(route, name);
      const isNode = name.startsWith("node ");
      return route.fulfill({
        status: isNode ? 200 : 400,
        json: isNode
          ? { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "No response" } }
          : { code: FAILURE, error: BROKEN },
      });
    },
  );
}

const FAILURE = 141;
const BROKEN = "It is broken for this test.";

/** Fails only the batch entries with that name. */
async function failBatchEntries(route: Route, name: string): Promise<void> {
  const { requests } = bodyOf(route.request());
  const response = await route.fetch();
  const answers: unknown = await response.json();
  const paths = Array.isArray(requests) ? requests.map(({ path }) => String(path)) : [];
  await route.fulfill({
    response,
    json: (Array.isArray(answers) ? answers : []).map((answer: unknown, i) =>
      paths[i] === `/server/${name}` ? { error: { code: FAILURE, error: BROKEN } } : answer,
    ),
  });
}

function bodyOf(request: Request): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(request.postData() ?? "{}");
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

/** Waits until the page is as expected; returns the problems if it never is. */
export async function problemsOf(
  path: string,
  page: Page,
  isExpected: (state: PageState) => boolean,
): Promise<string[]> {
  let state = await pageState(page);
  const deadline = Date.now() + PAGE_TIMEOUT_MS;
  while (!isExpected(state) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100));
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

/** Number of concurrently open pages that mostly wait for retries. */
export const IDLE_PAGES_LIMIT = 6;

/** Runs tasks with limited concurrency; the results are in the order of the items. */
export async function forEach<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
  concurrency = 3,
): Promise<R[]> {
  const queue = [...items.entries()];
  const results: R[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
