import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STUDIO_VIEWS } from "../support/appPages.ts";
import { launchBrowser, type Visit, visitUncached } from "../support/browser.ts";
import {
  disconnectServer,
  failApi,
  failuresToTry,
  forEach,
  hangServer,
  IDLE_PAGES_LIMIT,
  namesOf,
  outageProblemsOf,
  pageState,
  problemsOf,
  reconnectServer,
} from "../support/outage.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { setUpStudio, signInToStudio } from "../support/studio.ts";

/** The studio cancels reads that take longer than this: see studio/api.ts. */
const MAX_READ_MS = 35_000;
/** The session is read first; without it no page is shown. */
const STATE = "/studio/api/state";

let purse: Purse;
let browser: Browser;
let storage: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  [purse, browser] = await Promise.all([hostPurse({ devChain: true }), launchBrowser()]);
  await setUpStudio(purse);
  await rest(purse, "POST", "/classes/Note", { text: "Order the beans" }, { useMasterKey: true });
  const role = { name: "baristas", ACL: {} };
  await rest(purse, "POST", "/classes/_Role", role, { useMasterKey: true });
  const { page, close } = await visitUncached(browser);
  await signInToStudio(page, purse, "ada");
  storage = await page.context().storageState();
  await close();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});

/** Pages that show nothing of the server until the operator asks for it. */
const READING_NOTHING: ReadonlySet<string> = new Set(["/console", "/no/such/page"]);
const PAGES = [
  ...STUDIO_VIEWS.map(([path]) => path).filter(
    (path) => !path.includes("show=") && !READING_NOTHING.has(path),
  ),
  "/data?class=Note",
  "/roles?role=baristas",
  "/logs?show=slow",
  "/logs?show=requests",
];

/** Opens a page of an operator. */
async function asOperator(): Promise<Visit> {
  const visitor = await visitUncached(browser, { storageState: storage });
  visitor.page.setDefaultTimeout(40_000);
  return visitor;
}

/** Opens the same page with a clock that the test controls. */
async function asOperatorWithClock(): Promise<Visit> {
  const visitor = await asOperator();
  await visitor.page.clock.install();
  return visitor;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${purse.url}/studio${path}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

describe("every page of the studio while the server is down", () => {
  it("shows errors with a retry button and no empty states, and recovers automatically", async () => {
    const problems = await forEach(
      PAGES,
      asOperator,
      async (path, page, context) => {
        await disconnectServer(context, purse, [STATE]);
        await open(page, path);
        return outageProblemsOf(path, page);
      },
      IDLE_PAGES_LIMIT,
    );
    expect(problems.flat()).toEqual([]);
  }, 900_000);

  it("shows errors at a deadline if requests are never answered", async () => {
    const problems = await forEach(PAGES, asOperatorWithClock, async (path, page, context) => {
      await hangServer(context, purse, [STATE]);
      await open(page, path);
      await page.clock.fastForward(MAX_READ_MS);
      return problemsOf(path, page, ({ skeletons, retries }) => skeletons === 0 && retries > 0);
    });
    expect(problems.flat()).toEqual([]);
  }, 900_000);
});

/** The empty states of pages that have loaded everything. */
const healthy = new Map<string, string[]>();

describe("every page of the studio while one of its resources fails", () => {
  it("shows an error and no empty state", async () => {
    const reads = await forEach(PAGES, asOperator, async (path, page) => {
      const names = new Set<string>();
      const addNames = (request: Request) => {
        for (const name of namesOf(request, purse)) names.add(name);
      };
      page.on("request", addNames);
      await open(page, path);
      await page.waitForLoadState("networkidle");
      page.off("request", addNames);
      const { empty } = await pageState(page);
      healthy.set(path, empty);
      return { path, names: [...names].filter((each) => !isBeside(each)) };
    });
    const problems = await forEach(
      failuresToTry(reads),
      asOperator,
      async ({ path, names }, page, context) => {
        const found: string[] = [];
        for (const name of names) {
          await failApi(context, purse, name);
          await open(page, path);
          found.push(
            ...(await problemsOf(
              `${path} without ${name}`,
              page,
              ({ skeletons, retries, empty }) =>
                skeletons === 0 && retries > 0 && empty.every((title) => healthy.get(path)?.includes(title)),
            )),
          );
          await reconnectServer(context);
        }
        return found;
      },
    );
    expect(problems.flat()).toEqual([]);
  }, 1_800_000);
});

/** Whether a page works without a resource: streams reconnect, and a row count is optional. */
function isBeside(name: string): boolean {
  return name === "state" || name.endsWith("/live") || name.endsWith("/tail") || name.endsWith("/count");
}
