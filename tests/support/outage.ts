import type { CDPSession, Page, Request } from "playwright-core";
import { ALL_CASES } from "./allCases.ts";
import type { Visit } from "./browser.ts";
import { watchRequests } from "./navigation.ts";
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

/** The session that intercepts the requests of a page. */
const sessions = new WeakMap<Page, CDPSession>();

/**
 * Intercepts the API and node requests of a page. Playwright's routes would intercept all requests, for which the browser
 * disables its cache: a page would take twice the CPU time to load.
 */
async function interceptApi(
  page: Page,
  purse: Purse,
  outcomeOf: (request: PausedRequest) => Outcome | Promise<Outcome>,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  sessions.set(page, session);
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

/** How requests fail: they are never answered, like those to a server that hangs, or refused, like those to one that is down. */
interface Outage {
  outcome: "hang" | "fail";
}

/**
 * Blocks a page's API and node requests, as if both were down, except for some paths; the app itself is still served. The
 * outage may change until `reconnectServer`.
 */
export function disconnectServer(
  page: Page,
  purse: Purse,
  outage: Outage = { outcome: "fail" },
  except: readonly string[] = [],
): Promise<void> {
  return interceptApi(page, purse, ({ url }) =>
    except.includes(url.pathname) ? "continue" : outage.outcome,
  );
}

export async function reconnectServer(page: Page): Promise<void> {
  await sessions.get(page)?.detach();
  sessions.delete(page);
}

function isApi(url: URL, purse: Purse): boolean {
  return url.origin === purse.url ? API.test(url.pathname) : url.href.startsWith(purse.rpcUrl);
}

/** Stable names of the resources that a request reads. */
function namesOf(request: Request, purse: Purse): string[] {
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
function failApi(page: Page, purse: Purse, name: string): Promise<void> {
  return interceptApi(page, purse, (request) => {
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
async function problemsOf(
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

/** A page that was opened during an outage. */
export interface OutageVisit {
  path: string;
  problems: string[];
  /** What the page has read: see `namesOf`. */
  names: string[];
  /** Its empty states once it has loaded everything. */
  empty: string[];
}

/** How long pages wait at most before they read again what has failed, in ms: see queryClient.ts and reachability.ts. */
export const MAX_DELAY_MS = 16_000;
/** The path by which pages find out whether the server is back. */
const PROBE = "/health";

/**
 * Opens a page while its requests are never answered, until its reads have timed out after `timeoutMs` of the page's clock.
 * It shows errors then, also when requests are refused, and everything once the server is back.
 */
export async function visitInOutage(
  page: Page,
  purse: Purse,
  { path, url, timeoutMs, except }: { path: string; url: string; timeoutMs: number; except?: string[] },
): Promise<OutageVisit> {
  const outage: Outage = { outcome: "hang" };
  const names = new Set<string>();
  let isProbing = false;
  const readsOf = (request: Request) =>
    namesOf(request, purse).filter((name) => !isProbing || name !== PROBE);
  const addNames = (request: Request) => {
    if (request.resourceType() !== "eventsource") for (const name of readsOf(request)) names.add(name);
  };
  page.on("request", addNames);
  const requests = watchRequests(page, (request) => readsOf(request).length > 0);
  await disconnectServer(page, purse, outage, except);
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  isProbing = true;
  await page.clock.fastForward(timeoutMs);
  const hanging = await problemsOf(
    `${path} without answers`,
    page,
    ({ skeletons, retries }) => skeletons === 0 && retries > 0,
  );

  outage.outcome = "fail";
  const refused = page.waitForEvent("requestfailed", {
    predicate: (request) => /REFUSED/.test(request.failure()?.errorText ?? "") && readsOf(request).length > 0,
  });
  // These are never answered.
  requests.forget();
  await page.evaluate(retryAll);
  await page.clock.fastForward(timeoutMs);
  await page.clock.fastForward(MAX_DELAY_MS);
  await refused;
  await requests.settled();
  const down = await problemsOf(
    path,
    page,
    ({ skeletons, retries, empty }) => skeletons === 0 && retries > 0 && empty.length === 0,
  );

  await reconnectServer(page);
  await page.clock.fastForward(MAX_DELAY_MS);
  const back = await problemsOf(
    `${path} when it is back`,
    page,
    ({ skeletons, retries }) => skeletons === 0 && retries === 0,
  );
  await requests.settled();
  requests.stop();
  page.off("request", addNames);
  const { empty } = await pageState(page);
  return { path, problems: [...hanging, ...down, ...back], names: [...names], empty };
}

/**
 * Opens a page without one of its resources after another. It must show an error each time, and only those empty states
 * that it shows when everything is loaded.
 */
export async function problemsWithout(
  names: readonly string[],
  page: Page,
  purse: Purse,
  { path, url, empty: known = [] }: { path: string; url: string; empty: readonly string[] | undefined },
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    await failApi(page, purse, name);
    await page.goto(url);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    found.push(
      ...(await problemsOf(
        `${path} without ${name}`,
        page,
        ({ skeletons, retries, empty }) =>
          skeletons === 0 && retries > 0 && empty.every((title) => known.includes(title)),
      )),
    );
    await reconnectServer(page);
  }
  return found;
}

/** Clicks all retry buttons. Runs in the page. */
function retryAll(): void {
  for (const button of document.querySelectorAll("button")) {
    if (button.textContent === "Try again" && button.checkVisibility()) button.click();
  }
}

/** A page, and the resources that it reads and cannot do without. */
export interface PageReads {
  path: string;
  names: readonly string[];
}

/** The resources to try on each page: with `npm run test:all` all that it reads, with `npm test` those that no page before has tried. */
export function failuresToTry(reads: readonly PageReads[]): PageReads[] {
  if (ALL_CASES) return [...reads];
  const tried = new Set<string>();
  return reads
    .map(({ path, names }) => {
      const untried = names.filter((name) => !tried.has(name));
      for (const name of untried) tried.add(name);
      return { path, names: untried };
    })
    .filter(({ names }) => names.length > 0);
}

/** Returns visits that were closed before they are opened anew, so that the browser has loaded the app. */
export function reusing(open: () => Promise<Visit>): () => Promise<Visit> {
  const idle: Visit[] = [];
  return async () => {
    const visitor = idle.pop() ?? (await open());
    return { ...visitor, close: async () => void idle.push(visitor) };
  };
}

/**
 * Runs tasks in a few browser pages, each of which takes one after the other: a page of its own would load the app anew.
 * The results are in the order of the items.
 */
export async function forEach<T, R>(
  items: readonly T[],
  open: () => Promise<Visit>,
  run: (item: T, page: Page) => Promise<R>,
  concurrency = 3,
): Promise<R[]> {
  const queue = [...items.entries()];
  const results: R[] = [];
  const worker = async () => {
    const { page, close } = await open();
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        results[next[0]] = await run(next[1], page);
        await reconnectServer(page);
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
