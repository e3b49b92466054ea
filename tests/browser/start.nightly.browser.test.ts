import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { APP_PAGES } from "../support/appPages.ts";
import { signUpInPage, visit, visitUncached } from "../support/browser.ts";
import { watchRequests } from "../support/navigation.ts";
import { rest } from "../support/purse.ts";
import { type PushServices, startPushServices } from "../support/pushServices.ts";
import { hostSite } from "../support/site.ts";
import { translatorOf } from "../support/translations.ts";
import { serveAppBy } from "../support/webApp.ts";

/** One path of each page: all tabs of a page have the same code. */
const PAGES = [...new Map(APP_PAGES.map((path) => [path.split("?")[0], path])).values()];
/** The resource that arrives last: each order is a race condition. */
interface Race {
  locale: string;
  last: string;
  /** Its requests, as a pattern of the browser and of their URL. */
  slow: { pattern: string; path: RegExp };
  pages: readonly string[];
}
const SETTINGS = { last: "the settings", slow: { pattern: "*/config.json", path: /\/config\.json$/ } };
const LANGUAGES = ["en-US", "de-DE"];
const RACES: readonly Race[] = [
  ...LANGUAGES.map((locale) => ({ ...SETTINGS, locale, pages: PAGES })),
  {
    locale: "de-DE",
    last: "the translations",
    slow: { pattern: "*/assets/de-*.js", path: /\/assets\/de-[^/]*\.js$/ },
    pages: PAGES,
  },
];

let pushServices: PushServices;

const app = serveAppBy(async () => {
  pushServices = await startPushServices();
  const { env } = pushServices;
  return hostSite({ devChain: true, env });
});
afterAll(() => pushServices?.stop());

interface PausedRequest {
  requestId: string;
  request: { url: string };
}

interface HeldRequests {
  count(): number;
  /** Lets them go on, and those that follow until `hold()`. */
  release(): Promise<void>;
  hold(): void;
}

/** Holds requests of a page. Playwright's routes would disable the cache of the browser: see outage.ts. */
async function holdRequests(page: Page, urlPattern: string): Promise<HeldRequests> {
  const session = await page.context().newCDPSession(page);
  const held: PausedRequest[] = [];
  let isHolding = true;
  const go = async ({ requestId, request }: PausedRequest) => {
    const response = await fetch(request.url);
    const sent = session.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: response.status,
      // Without a cache: the next page would have it at once.
      responseHeaders: [
        { name: "Content-Type", value: response.headers.get("content-type") ?? "" },
        { name: "Cache-Control", value: "no-store" },
      ],
      body: Buffer.from(await response.arrayBuffer()).toString("base64"),
    });
    // The page may have been left meanwhile.
    await sent.catch(() => undefined);
  };
  session.on("Fetch.requestPaused", (paused) => {
    if (isHolding) held.push(paused);
    else void go(paused);
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern }] });
  return {
    count: () => held.length,
    async release() {
      isHolding = false;
      await Promise.all(held.splice(0).map(go));
    },
    hold() {
      isHolding = true;
    },
  };
}

/** Returns the problems of pages that a visitor with an empty storage opens with one slow resource. */
async function problemsOf(paths: string[], { locale, slow }: Race): Promise<string[]> {
  // Other visits have left the translations in the memory of their process.
  const { page, errors, close } = await visitUncached(app.browser, { locale });
  const problems: string[] = [];
  try {
    const slowRequests = await holdRequests(page, slow.pattern);
    const others = watchRequests(page, (request) => !slow.path.test(request.url()));
    const all = watchRequests(page);
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      slowRequests.hold();
      await page.goto(app.purse.url + path, { waitUntil: "commit" });
      await expect.poll(() => slowRequests.count(), { message: path }).toBeGreaterThan(0);
      // It arrives after all that the page loads without it.
      await others.settled();
      await slowRequests.release();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await all.settled();
      const alerts = await page.getByRole("alert").allInnerTexts();
      problems.push(...[...alerts, ...errors.splice(0)].map((problem) => `${path}: ${problem}`));
      await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
      });
    }
    return problems;
  } finally {
    await close();
  }
}

describe("the first visit of a page", () => {
  it.each(RACES)(
    "sends no request before the client has started, in $locale where $last load last",
    async (race) => {
      const waiting = [...race.pages];
      expect(waiting).not.toEqual([]);
      const problems = await Promise.all([problemsOf(waiting, race), problemsOf(waiting, race)]);
      expect(problems.flat()).toEqual([]);
    },
    300_000,
  );
});

describe("the installed app", () => {
  it("has a manifest with icons, and starts offline after the first visit", async () => {
    const { page, close } = await visit(app.browser, { serviceWorkers: "allow", locale: "ja-JP" });
    try {
      await page.goto(app.purse.url);
      const manifest = await (await fetch(`${app.purse.url}/manifest.webmanifest`)).json();
      expect(manifest).toMatchObject({ start_url: "/", display: "standalone" });
      for (const { src, type } of Object(manifest).icons) {
        const icon = await fetch(app.purse.url + src);
        expect([src, icon.status, icon.headers.get("content-type")]).toEqual([src, 200, type]);
      }
      await page.evaluate(async () => {
        await navigator.serviceWorker.ready;
        while (!navigator.serviceWorker.controller) await new Promise(requestAnimationFrame);
      });
      const keptCatalogs = () =>
        page.evaluate(async () => {
          const keys = await (await caches.open("purse-shell-1")).keys();
          return keys.flatMap(({ url }) => /\/assets\/(de|es|fr|ja|zh)-/.exec(url)?.[1] ?? []);
        });
      // Those of the app and of what both apps share, and none of other languages.
      await expect.poll(keptCatalogs).toEqual(["ja", "ja"]);
      const missing = () =>
        page.evaluate(async () => {
          const links = await (await fetch("/preloads.json")).text();
          const files = [...links.matchAll(/<([^>]+)>/g)].map(([, path = ""]) => path);
          const keys = await (await caches.open("purse-shell-1")).keys();
          const kept = keys.map(({ url }) => new URL(url).pathname);
          return files.filter((file) => !kept.includes(file)).length;
        });
      await expect.poll(missing).toBe(0);
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Network.clearBrowserCache");
      await devtools.detach();
      await page.context().setOffline(true);
      await page.goto(`${app.purse.url}/`);
      const inJapanese = translatorOf("ja");
      await page.getByRole("heading", { name: inJapanese("Your own wallet-ready backend") }).waitFor();
      await page.getByText(inJapanese("You're offline. Data may be out of date.")).waitFor();
      // The code of other pages is kept, too.
      await page.getByRole("link", { name: inJapanese("Files") }).click();
      await page.getByRole("heading", { level: 1, name: inJapanese("Files") }).waitFor();
      // Data is never cached: requests of the app fail as without a service worker.
      const isKept = await page.evaluate(async () => {
        const keys = await (await caches.open("purse-shell-1")).keys();
        return keys.some(({ url }) => /\/(server|api|health)/.test(new URL(url).pathname));
      });
      expect(isKept).toBe(false);
    } finally {
      await close();
    }
  });

  it("shows messages of the server once its user has turned them on, and none after they are turned off", async () => {
    const { browsers } = pushServices;
    const { page, close } = await visit(app.browser, { serviceWorkers: "allow" });
    try {
      await page.addInitScript(subscribeTo, browsers.subscribe("phone"));
      await signUpInPage(page, app.purse, "push", "/account");
      const toggle = page.getByRole("switch", { name: "Notifications on this device" });
      await toggle.click();
      await toggle.and(page.locator('[aria-checked="true"]')).waitFor();
      const data = { title: "Payment", alert: "You received 5 ETH.", uri: "/portfolio" };
      const push = { where: { deviceType: "web" }, data };
      await rest(app.purse, "POST", "/push", push, { useMasterKey: true });
      await expect.poll(() => browsers.received.map(({ body }) => body)).toEqual([data]);
      const shown = await recordNotifications(page);
      await deliver(page, app.purse.url, JSON.stringify(browsers.received[0]?.body));
      await expect.poll(shown).toEqual([{ title: "Payment", body: "You received 5 ETH." }]);
      await toggle.click();
      await toggle.and(page.locator('[aria-checked="false"]')).waitFor();
      const devices = await rest(app.purse, "GET", "/installations", undefined, { useMasterKey: true });
      expect(devices.body.results).toEqual([expect.not.objectContaining({ deviceToken: expect.anything() })]);
    } finally {
      await close();
    }
  });
});

/**
 * Allows notifications and replaces the browser's push service, which is in the internet, by another one: browsers without
 * windows have neither. Runs in the page.
 */
function subscribeTo(subscription: string): void {
  const isOn = () => sessionStorage.getItem("subscribed") === "1";
  const current = {
    toJSON: () => JSON.parse(subscription),
    async unsubscribe() {
      sessionStorage.removeItem("subscribed");
      return true;
    },
  };
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  Object.assign(Notification, { requestPermission: async () => "granted" });
  Object.assign(PushManager.prototype, {
    async subscribe({ applicationServerKey }: PushSubscriptionOptionsInit) {
      if (typeof applicationServerKey !== "string") throw new Error("The server's key is missing.");
      sessionStorage.setItem("subscribed", "1");
      return current;
    },
    getSubscription: async () => (isOn() ? current : null),
  });
}

/** Records what the service worker shows instead of showing it; returns a function that reads it. */
async function recordNotifications(page: Page): Promise<() => Promise<unknown>> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error("The app has no service worker.");
  await worker.evaluate(() => {
    const notifications: object[] = [];
    const registration: object = Reflect.get(globalThis, "registration");
    Object.assign(registration, {
      async showNotification(title: string, { body }: NotificationOptions) {
        notifications.push({ title, body });
      },
    });
    Reflect.set(globalThis, "notifications", notifications);
  });
  return () => worker.evaluate(() => Reflect.get(globalThis, "notifications"));
}

/** Delivers a message to the service worker of a site, as the browser's push service does. */
async function deliver(page: Page, origin: string, data: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registrationId = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
      if (own) resolve(own.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin,
    registrationId: await registrationId,
    data,
  });
  await devtools.detach();
}
