import { beforeAll, describe, expect, it } from "vitest";
import { STUDIO_VIEWS } from "../support/appPages.ts";
import { type Visit, visitUncached } from "../support/browser.ts";
import {
  failuresToTry,
  forEach,
  type OutageVisit,
  problemsWithout,
  reusing,
  visitInOutage,
} from "../support/outage.ts";
import { rest } from "../support/purse.ts";
import { sessionCookies, setUpStudio } from "../support/studio.ts";
import { serveWebApp } from "../support/webApp.ts";

/** The studio cancels reads that take longer than this: see studio/api.ts. */
const MAX_READ_MS = 35_000;
/** The session is read first; without it no page is shown. */
const STATE = "/studio/api/state";

const app = serveWebApp();

beforeAll(async () => {
  await setUpStudio(app.purse);
  await rest(app.purse, "POST", "/classes/Note", { text: "Order the beans" }, { useMasterKey: true });
  const role = { name: "baristas", ACL: {} };
  await rest(app.purse, "POST", "/classes/_Role", role, { useMasterKey: true });
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

/** Opens a page of an operator with a clock that the test controls. */
const asOperator = reusing(async (): Promise<Visit> => {
  const visitor = await visitUncached(app.browser);
  const { page } = visitor;
  page.setDefaultTimeout(40_000);
  await page.context().addCookies(await sessionCookies(app.purse, "ada"));
  await page.clock.install();
  return visitor;
});

/** Each page during an outage: visited once for all tests. */
let visits: Promise<OutageVisit[]> | undefined;

function visitsInOutage(): Promise<OutageVisit[]> {
  visits ??= forEach(PAGES, asOperator, (path, page) =>
    visitInOutage(page, app.purse, {
      path,
      url: `${app.purse.url}/studio${path}`,
      timeoutMs: MAX_READ_MS,
      except: [STATE],
    }),
  );
  return visits;
}

describe("every page of the studio while the server does not answer, or is down", () => {
  it("shows errors with a retry button after its reads have timed out, no empty states, and recovers automatically", async () => {
    const problems = (await visitsInOutage()).flatMap((each) => each.problems);
    expect(problems).toEqual([]);
  }, 900_000);
});

describe("every page of the studio while one of its resources fails", () => {
  it("shows an error and no empty state", async () => {
    const visited = await visitsInOutage();
    const healthy = new Map(visited.map(({ path, empty }) => [path, empty]));
    const reads = visited.map(({ path, names }) => ({
      path,
      names: names.filter((each) => !isBeside(path, each)),
    }));
    const problems = await forEach(failuresToTry(reads), asOperator, ({ path, names }, page) =>
      problemsWithout(names, page, app.purse, {
        path,
        url: `${app.purse.url}/studio${path}`,
        empty: healthy.get(path),
      }),
    );
    expect(problems.flat()).toEqual([]);
  }, 1_800_000);
});

/** Whether a page works without a resource: streams reconnect, and a row count is optional. */
function isBeside(path: string, name: string): boolean {
  // Pages whose stream ends find out with this request whether their session has ended.
  if (name === "routes") return true;
  // The number of findings beside an entry of the navigation.
  if (name === "security") return path !== "/security";
  return name === "state" || name.endsWith("/live") || name.endsWith("/tail") || name.endsWith("/count");
}
