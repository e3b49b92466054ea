// Lets the installed app start without a connection. It keeps the code of the app, never data: what the server answers to
// requests of the app is neither read nor stored here.
const CACHE = "purse-shell-1";
/** What the app needs to start, besides the files that its document and the header sent with it name. */
const SHELL = ["/", "/config.json", "/theme.js", "/favicon.svg"];
const APP_PAGE = /^\/((sign-in|account|portfolio|send|swap|contract|data|files|design|explorer)(\/.*)?)?$/;
/** Files of the app that are kept at most; the oldest are removed first. */
const MAX_ENTRIES = 300;

self.addEventListener("install", (event) => {
  event.waitUntil(cacheShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const removeOthers = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("purse-shell-") && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  };
  event.waitUntil(removeOthers());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  // The names of these files contain a hash of their content.
  if (pathname.startsWith("/assets/")) event.respondWith(cacheFirst(request));
  else if (request.mode === "navigate") {
    if (APP_PAGE.test(pathname)) event.respondWith(openAppPage(event));
  } else if (SHELL.includes(pathname)) event.respondWith(networkFirst(request, pathname));
});

// An open page has nothing to do: what its user opens next, also without a connection, is kept.
self.addEventListener("message", (event) => {
  if (event.data === "keep pages") event.waitUntil(keepPages());
});

// A message of the server: `alert`, a text or an object with `title` and `body`, `title`, and `uri`, the page to open.
self.addEventListener("push", (event) => {
  const { title, body, uri } = messageOf(event.data);
  const icon = "/icon-192.png";
  event.waitUntil(self.registration.showNotification(title, { body, icon, badge: icon, data: { uri } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.uri));
});

function messageOf(data) {
  let message = {};
  try {
    message = Object(data?.json());
  } catch {
    // Not a message of this server. Browsers require a notification nevertheless.
  }
  const { alert } = message;
  const { title = message.title, body } =
    typeof alert === "object" && alert !== null ? alert : { body: alert };
  const text = (value) => (typeof value === "string" ? value : "");
  return { title: text(title) || "Purse", body: text(body), uri: text(message.uri) };
}

/** Shows a page of this app, without leaving a page that is open. Other sites are not opened. */
async function openPage(uri) {
  const { origin } = self.location;
  const target = new URL(URL.canParse(uri, origin) ? uri : "/", origin);
  const { href } = target.origin === origin ? target : new URL("/", origin);
  const windows = await self.clients.matchAll({ type: "window" });
  const open = windows.find(({ url }) => url === href);
  return open ? open.focus() : self.clients.openWindow(href);
}

async function cacheShell() {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL);
  const document = await cache.match("/");
  const html = document ? await document.text() : "";
  const link = document?.headers.get("link") ?? "";
  const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  await addMissing(cache, [...named, ...filesIn(link)]);
}

/** Keeps the files of all pages, which the build lists as the headers of their documents. */
async function keepPages() {
  const response = await fetch("/preloads.json");
  if (!response.ok) return;
  const links = Object.values(await response.json());
  await addMissing(await caches.open(CACHE), links.flatMap(filesIn));
}

/** The files that a `Link` header names. */
function filesIn(link) {
  return [...link.matchAll(/<(\/assets\/[^>]+)>/g)].map(([, path]) => path);
}

async function addMissing(cache, paths) {
  for (const path of new Set(paths)) {
    if (!(await cache.match(path))) await cache.add(path);
  }
}

/**
 * The document of a page of the app. Another version of it has other files: those of the first page, with which the installed
 * app starts, are kept whichever page is open.
 */
async function openAppPage(event) {
  const cache = await caches.open(CACHE);
  const known = await cache.match("/");
  const response = await networkFirst(event.request, "/");
  if (response.ok && response.headers.get("etag") !== known?.headers.get("etag")) {
    // Without them, the app starts as long as there is a connection.
    event.waitUntil(cacheShell().catch(() => undefined));
  }
  return response;
}

async function cacheFirst(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request.url);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) {
    await cache.put(request.url, response.clone());
    const keys = await cache.keys();
    const others = keys.filter(({ url }) => !SHELL.includes(new URL(url).pathname));
    for (const key of others.slice(0, Math.max(0, others.length - MAX_ENTRIES))) await cache.delete(key);
  }
  return response;
}

/** The server's response, which replaces the kept one; that one if there is no connection. */
async function networkFirst(request, path) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(path, response.clone());
    return response;
  } catch (error) {
    const known = await cache.match(path);
    if (known) return known;
    throw error;
  }
}
