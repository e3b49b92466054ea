import { beforeEach, describe, expect, it, vi } from "vitest";
import source from "../public/sw.js?raw";

const ORIGIN = "https://app.example.org";
const showNotification = vi.fn(async () => undefined);
const openWindow = vi.fn(async () => undefined);
const focus = vi.fn(async () => undefined);
const listeners = new Map<string, (event: object) => void>();

/** Runs the service worker in a scope without a browser. */
function startWorker(): void {
  const scope = {
    location: { origin: ORIGIN },
    registration: { showNotification },
    clients: { openWindow, matchAll: async () => [{ url: `${ORIGIN}/send`, focus }] },
    skipWaiting: async () => undefined,
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
  };
  new Function("self", source)(scope);
}

/** Dispatches an event and waits for what the worker does then. */
async function dispatch(type: string, event: object): Promise<void> {
  let pending: Promise<unknown> | undefined;
  const waitUntil = (work: Promise<unknown>) => {
    pending = work;
  };
  listeners.get(type)?.({ ...event, waitUntil });
  await pending;
}

beforeEach(() => {
  vi.clearAllMocks();
  startWorker();
});

describe("the service worker", () => {
  it("keeps the files that the document and the header sent with it name", async () => {
    const link =
      "</assets/home.js>; rel=modulepreload, </assets/home.css>; rel=preload; as=style; crossorigin";
    const document = new Response('<script src="/assets/app.js"></script>', { headers: { link } });
    const add = vi.fn(async () => undefined);
    const match = async (path: string) => (path === "/" ? document : undefined);
    vi.stubGlobal("caches", { open: async () => ({ addAll: async () => undefined, add, match }) });
    await dispatch("install", {});
    vi.unstubAllGlobals();
    expect(add.mock.calls).toEqual([["/assets/app.js"], ["/assets/home.js"], ["/assets/home.css"]]);
  });

  it("keeps the files of the first page of a new version when another page is opened", async () => {
    let version = "1";
    const documentOf = (etag: string) =>
      new Response(`<script src="/assets/app-${etag}.js"></script>`, {
        headers: { etag, link: `</assets/home-${etag}.js>; rel=modulepreload` },
      });
    const kept = new Map([["/", documentOf(version)]]);
    const add = vi.fn(async () => undefined);
    const cache = {
      add,
      addAll: async () => void kept.set("/", documentOf(version)),
      match: async (path: string) => kept.get(path)?.clone(),
      put: async (path: string, response: Response) => void kept.set(path, response),
    };
    vi.stubGlobal("caches", { open: async () => cache });
    vi.stubGlobal("fetch", async () => documentOf(version));
    const open = async (path: string) => {
      const pending: Promise<unknown>[] = [];
      const request = { method: "GET", mode: "navigate", url: ORIGIN + path };
      const wait = (work: Promise<unknown>) => void pending.push(work);
      listeners.get("fetch")?.({ request, respondWith: wait, waitUntil: wait });
      for (const work of pending) await work;
    };
    await open("/portfolio");
    expect(add).not.toHaveBeenCalled();
    version = "2";
    await open("/portfolio");
    vi.unstubAllGlobals();
    expect(add.mock.calls).toEqual([["/assets/app-2.js"], ["/assets/home-2.js"]]);
  });

  it("keeps the files of all pages for visits without a connection when a page asks it to", async () => {
    const preloads = {
      "/send": "</assets/send.js>; rel=modulepreload, </assets/shared.js>; rel=modulepreload",
      "/files": "</assets/shared.js>; rel=modulepreload, </assets/files.css>; rel=preload; as=style",
    };
    const add = vi.fn(async () => undefined);
    const match = async (path: string) => (path === "/assets/send.js" ? new Response("") : undefined);
    vi.stubGlobal("caches", { open: async () => ({ add, match }) });
    vi.stubGlobal("fetch", async () => Response.json(preloads));
    await dispatch("message", { data: "keep pages" });
    await dispatch("message", { data: "something else" });
    vi.unstubAllGlobals();
    expect(add.mock.calls).toEqual([["/assets/shared.js"], ["/assets/files.css"]]);
  });

  it.each([
    [{ title: "Payment", alert: "5 ETH", uri: "/portfolio" }, "Payment", "5 ETH", "/portfolio"],
    [{ alert: { title: "Payment", body: "5 ETH" } }, "Payment", "5 ETH", ""],
    [{ alert: "5 ETH", title: 5, uri: [] }, "Purse", "5 ETH", ""],
    ["no object", "Purse", "", ""],
    [null, "Purse", "", ""],
  ])("shows the message %j", async (message, title, body, uri) => {
    await dispatch("push", { data: { json: () => message } });
    expect(showNotification).toHaveBeenCalledExactlyOnceWith(
      title,
      expect.objectContaining({ body, data: { uri } }),
    );
  });

  it("shows a notification for a message that is no JSON, as browsers require", async () => {
    await dispatch("push", { data: { json: () => JSON.parse("{") } });
    expect(showNotification).toHaveBeenCalledOnce();
  });

  it.each([
    ["/portfolio", `${ORIGIN}/portfolio`],
    [`${ORIGIN}/explorer?chain=0x1`, `${ORIGIN}/explorer?chain=0x1`],
    ["", `${ORIGIN}/`],
    ["https://evil.example/", `${ORIGIN}/`],
    ["javascript:alert(1)", `${ORIGIN}/`],
    ["//evil.example/portfolio", `${ORIGIN}/`],
  ])("opens a page of the app for a notification with %j", async (uri, url) => {
    const close = vi.fn();
    await dispatch("notificationclick", { notification: { close, data: { uri } } });
    expect(close).toHaveBeenCalledOnce();
    expect(openWindow).toHaveBeenCalledExactlyOnceWith(url);
  });

  it("shows the window that has the page of a notification already", async () => {
    await dispatch("notificationclick", { notification: { close() {}, data: { uri: "/send" } } });
    expect(focus).toHaveBeenCalledOnce();
    expect(openWindow).not.toHaveBeenCalled();
  });
});
