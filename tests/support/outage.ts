import type { BrowserContext, Page, Request, Route } from "playwright-core";
import type { Purse } from "./purse.ts";

/** What a page asks the server for while it is open; its document, code, styles and pictures are not among it. */
const API = /^\/(server|api|studio\/api|health|ipfs)(\/|$)|^\/files\/./;

/**
 * Lets nothing of a page through to the server or the chain's node, as when both are gone, but for some paths; the app
 * itself is there.
 */
export async function breakServer(
  context: BrowserContext,
  purse: Purse,
  but: readonly string[] = [],
): Promise<void> {
  await context.route(
    (url) => isApi(url, purse) && !but.includes(url.pathname),
    (route) => route.abort("connectionrefused"),
  );
}

/** Lets requests go and never answers them, as a server that hangs. */
export async function hangServer(
  context: BrowserContext,
  purse: Purse,
  but: readonly string[] = [],
): Promise<void> {
  await context.route(
    (url) => isApi(url, purse) && !but.includes(url.pathname),
    () => undefined,
  );
}

export async function mendServer(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: "ignoreErrors" });
}

function isApi(url: URL, purse: Purse): boolean {
  return url.origin === purse.url ? API.test(url.pathname) : url.href.startsWith(purse.rpcUrl);
}

/** What a request asks for, by names that stay the same from one visit to the next. */
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

/** Makes what has one of these names fail by an answer that is a failure; all else goes through. */
export async function failApi(context: BrowserContext, purse: Purse, name: string): Promise<void> {
  await context.route(
    (url) => isApi(url, purse),
    async (route) => {
      const request = route.request();
      if (!namesOf(request, purse).includes(name)) return route.continue();
      if (new URL(request.url()).pathname === "/server/batch") return failParts(route, name);
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

/** Of a batch only the parts of that name fail. */
async function failParts(route: Route, name: string): Promise<void> {
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

export interface Shown {
  /** Places of what is still to come. */
  skeletons: number;
  /** Buttons to try again what has failed. */
  retries: number;
  /** The titles of what says that there is nothing. */
  empty: string[];
}

/** What the page shows in the place of data. */
export function shownOn(page: Page): Promise<Shown> {
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

/** After so long a page has said what has failed, also on a busy machine. */
const SAID_MS = 40_000;

/** Waits until the page is as it should be, and answers what was wrong where it never is. */
export async function problemsOf(
  path: string,
  page: Page,
  isRight: (shown: Shown) => boolean,
): Promise<string[]> {
  let shown = await shownOn(page);
  const deadline = Date.now() + SAID_MS;
  while (!isRight(shown) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    shown = await shownOn(page);
  }
  return isRight(shown) ? [] : [`${path}: ${JSON.stringify(shown)}`];
}

/** What is wrong with a page that is open while the server is gone, and with the same page once it is back. */
export async function outageProblemsOf(path: string, page: Page): Promise<string[]> {
  const broken = await problemsOf(
    path,
    page,
    ({ skeletons, retries, empty }) => skeletons === 0 && retries > 0 && empty.length === 0,
  );
  await mendServer(page.context());
  const healed = await problemsOf(
    `${path} when it is back`,
    page,
    ({ skeletons, retries }) => skeletons === 0 && retries === 0,
  );
  return [...broken, ...healed];
}

/** Pages that mostly wait until they ask again take little of a machine: so many are open at a time. */
export const WAITING = 6;

/** A few at a time; the results in the order of the items. */
export async function forEach<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
  atOnce = 3,
): Promise<R[]> {
  const waiting = [...items.entries()];
  const results: R[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
