import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, slowStorage, startRecordingServer } from "../test/recordingServer.ts";
import { Storage } from "./applicationStorage.ts";
import { Config } from "./config.ts";
import { configure, connect, connection } from "./connection.ts";
import { installationId } from "./installationId.ts";
import { Moralis } from "./namespace.ts";
import { asyncStorage, isSingleUserProcess, memoryStorage, storageKeys, syncStorage } from "./storage.ts";
import { resetIdentities } from "./storedUser.ts";
import { User } from "./user/User.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
});
afterEach(() => server.stop());

function refusing(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

describe("a storage that fails", () => {
  const quota = refusing("QuotaExceededError");
  it.each([
    ["is full", syncStorage({ getItem: () => null, setItem: quota, removeItem: () => undefined })],
    ["is blocked", syncStorage({ getItem: quota, setItem: quota, removeItem: quota })],
    [
      "is blocked and answers later",
      asyncStorage({
        getItem: () => Promise.reject(new Error("blocked")),
        setItem: () => Promise.reject(new Error("blocked")),
        removeItem: () => Promise.reject(new Error("blocked")),
      }),
    ],
  ])("does not break sessions and settings if it %s", async (_, storage) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    server.connect({ storage });
    server.respondWith(() => ({ body: { objectId: "u1", sessionToken: "r:1", params: { n: 1 } } }));
    const id = await installationId();
    await User.logIn("ada", "secret");
    expect((await User.currentAsync())?.id).toBe("u1");
    expect((await Config.get()).get("n")).toBe(1);
    expect(await installationId()).toBe(id);
    expect(server.requests.at(-1)?.body).toMatchObject({ _SessionToken: "r:1", _InstallationId: id });
    await User.logOut();
    expect(await User.currentAsync()).toBeNull();
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });

  it("with an invalid record of the user leaves the user signed out", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    server.connect();
    await connection().storage.area.setItem("Parse/app/currentUser", "{oops");
    resetIdentities();
    expect(User.current()).toBeNull();
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});

describe("the storage of a browser", () => {
  afterEach(() => vi.unstubAllGlobals());

  function page(area: object): void {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    vi.stubGlobal("localStorage", area);
  }

  it("is localStorage, with its list of keys, if that is accessible", async () => {
    const items = new Map([["other", "1"]]);
    page({
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
      key: (index: number) => [...items.keys()][index] ?? null,
      get length() {
        return items.size;
      },
    });
    vi.resetModules();
    const { defaultStorage, storageKeys: keysOf } = await import("./storage.ts");
    const storage = defaultStorage();
    await storage.area.setItem("mine", "2");
    expect(items.get("mine")).toBe("2");
    expect(await keysOf(storage)).toEqual(["other", "mine"]);
  });

  it("is memory if access to localStorage is denied", async () => {
    page({ getItem: refusing("SecurityError"), setItem: refusing("SecurityError") });
    vi.resetModules();
    const { defaultStorage } = await import("./storage.ts");
    const storage = defaultStorage();
    await storage.area.setItem("mine", "2");
    expect(await storage.area.getItem("mine")).toBe("2");
  });
});

describe("isSingleUserProcess()", () => {
  afterEach(() => vi.unstubAllGlobals());
  const scope = class WorkerGlobalScope {};

  it("is true in web workers and service workers", () => {
    vi.stubGlobal("WorkerGlobalScope", scope);
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101" });
    expect(isSingleUserProcess()).toBe(true);
  });

  it("is true in React Native apps", () => {
    vi.stubGlobal("navigator", { product: "ReactNative" });
    expect(isSingleUserProcess()).toBe(true);
  });

  it.each(["Node.js/26", "Cloudflare-Workers", "Deno/2.5.0", "Bun/1.3"])("is false in %s", (userAgent) => {
    vi.stubGlobal("WorkerGlobalScope", scope);
    vi.stubGlobal("navigator", { userAgent });
    expect(isSingleUserProcess()).toBe(false);
    vi.stubGlobal("navigator", undefined);
    expect(isSingleUserProcess()).toBe(false);
  });
});

describe("the Storage namespace", () => {
  it("reads and writes the connection's storage", async () => {
    server.connect();
    expect(Moralis.Storage).toBe(Storage);
    Storage.setItem("a", "1");
    expect([Storage.async(), Storage.getItem("a"), await Storage.getItemAsync("a")]).toEqual([0, "1", "1"]);
    expect(await Storage.getAllKeysAsync()).toEqual(["a"]);
    Storage.removeItem("a");
    expect(Storage.getItem("a")).toBeNull();
    expect(Storage.generatePath("/currentUser")).toBe("Parse/app/currentUser");
  });

  it("requires the asynchronous methods if the storage is asynchronous", async () => {
    server.connect({ storage: slowStorage() });
    expect(Storage.async()).toBe(1);
    expect(() => Storage.getItem("a")).toThrow("Synchronous storage is not supported");
    await Storage.setItemAsync("a", "1");
    expect(await Storage.getItemAsync("a")).toBe("1");
    await Storage.removeItemAsync("a");
    expect(await Storage.getItemAsync("a")).toBeNull();
    await expect(Storage.getAllKeysAsync()).rejects.toThrow("getAllKeys");
  });
});

describe("settings made before the first connection", () => {
  afterEach(() =>
    configure({
      storage: memoryStorage(),
      idempotency: false,
      serverAuthToken: undefined,
      secret: undefined,
    }),
  );

  it("apply to it and to later ones", async () => {
    vi.resetModules();
    const fresh = await import("./index.ts");
    const area = new Map<string, string>();
    fresh.Moralis.setAsyncStorage({
      getItem: async (key) => area.get(key) ?? null,
      setItem: async (key, value) => void area.set(key, value),
      removeItem: async (key) => void area.delete(key),
    });
    fresh.Moralis.idempotency = true;
    fresh.Moralis.serverAuthType = "Bearer";
    fresh.Moralis.serverAuthToken = "gate";
    fresh.Moralis.secret = "hush";
    fresh.Moralis.enableEncryptedUser();
    fresh.Moralis.enableLocalDatastore();
    fresh.User.enableUnsafeCurrentUser();
    expect([fresh.Moralis.idempotency, fresh.Moralis.secret]).toEqual([true, "hush"]);
    for (const appId of ["one", "two"]) {
      await fresh.start({ serverUrl: server.url, appId, plugins: [] });
      await fresh.User.hydrate({ objectId: "u1", sessionToken: "r:1" });
      await new fresh.ParseObject("Note", { n: 1 }).save();
      expect(area.get(`Parse/${appId}/currentUser`)).toMatch(/^purse1:/);
    }
    expect(server.requests.at(-1)?.headers).toMatchObject({
      authorization: "Bearer gate",
      "x-parse-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(fresh.isLocalDatastoreEnabled()).toBe(true);
  });
});

describe("storageKeys()", () => {
  it("requires getAllKeys(), which only the local datastore needs", async () => {
    connect({ applicationId: "app", storage: memoryStorage() });
    expect(await storageKeys(memoryStorage())).toEqual([]);
    const silent = syncStorage({
      getItem: () => null,
      setItem: () => undefined,
      removeItem: () => undefined,
    });
    await expect(storageKeys(silent)).rejects.toThrow("The local datastore needs a storage with getAllKeys");
  });
});
