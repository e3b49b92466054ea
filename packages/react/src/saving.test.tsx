import { act, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderReady, setUpTestServer } from "../test/testRendering.tsx";
import {
  useMoralis,
  useMoralisFile,
  useNewMoralisObject,
  usePasskeys,
  useSessions,
  useUpload,
} from "./index.ts";

const test = setUpTestServer();
const SAVED = { objectId: "n1", createdAt: "2026-01-01T00:00:00.000Z" };

describe("useNewMoralisObject()", () => {
  it("saves a new object each time, and sends the context", async () => {
    test.server.on("POST classes/Note", { status: 201, body: SAVED });
    const view = await renderReady(test.server, () => useNewMoralisObject("Note"));
    const onSuccess = vi.fn();
    await act(
      async () => void (await view.current.save({ text: "hi" }, { context: { by: "test" }, onSuccess })),
    );
    expect(view.current.object?.id).toBe("n1");
    expect(onSuccess).toHaveBeenCalledWith(view.current.object);
    expect(test.server.bodies.at(-1)).toMatchObject({ text: "hi", _context: { by: "test" } });
    const first = view.current.object;
    await act(async () => void (await view.current.save({ text: "ho" })));
    expect(view.current.object).not.toBe(first);
    expect(view.current).toMatchObject({ isSaving: false, error: null });
  });

  it("returns the error of a failed save", async () => {
    test.server.on("POST classes/Note", { status: 400, body: { code: 119, error: "no" } });
    const view = await renderReady(test.server, () => useNewMoralisObject("Note"));
    await act(async () => {
      expect(await view.current.save({})).toBeUndefined();
    });
    expect(view.current).toMatchObject({ object: null, error: { code: 119 }, isSaving: false });
  });
});

describe("useNewMoralisObject() after a failure", () => {
  it("keeps the last saved object, and resets the error after the next success", async () => {
    test.server.on("POST classes/Note", { status: 201, body: SAVED });
    const view = await renderReady(test.server, () => useNewMoralisObject("Note"));
    await act(async () => void (await view.current.save({ n: 1 })));
    const saved = view.current.object;
    test.server.on("POST classes/Note", { status: 400, body: { code: 111, error: "no number" } });
    await act(async () => void (await view.current.save({ n: "one" })));
    expect(view.current).toMatchObject({ error: { code: 111 }, isSaving: false });
    expect(view.current.object).toBe(saved);
    test.server.on("POST classes/Note", { status: 201, body: { ...SAVED, objectId: "n2" } });
    await act(async () => void (await view.current.save({ n: 2 })));
    expect(view.current).toMatchObject({ object: { id: "n2" }, error: null });
  });
});

describe("the file hooks", () => {
  const stored = {
    status: 201,
    body: { name: "1_a.txt", url: "http://x/1_a.txt", ipfs: "http://i/cid", hash: "cid" },
  };

  it("save a file with type, metadata and tags, to IPFS if requested", async () => {
    test.server.on("POST files/a.txt", stored);
    const view = await renderReady(test.server, () => useMoralisFile());
    await act(async () => {
      await view.current.saveFile("a.txt", [104, 105], {
        type: "text/plain",
        metadata: { by: "ada" },
        tags: { kind: "note" },
        saveIPFS: true,
        throwOnError: true,
      });
    });
    expect(view.current.moralisFile?.url()).toBe("http://x/1_a.txt");
    expect(view.current).toMatchObject({ isUploading: false, error: null });
    expect(test.server.bodies.at(-1)).toMatchObject({
      base64: "aGk=",
      _ContentType: "text/plain",
      fileData: { metadata: { by: "ada" }, tags: { kind: "note" }, ipfs: true },
    });
  });

  it("report the progress of an upload and can abort it", async () => {
    test.server.on("POST files/a.txt", stored);
    const view = await renderReady(test.server, () => useUpload());
    expect(view.current.progress).toBe(0);
    await act(async () => void (await view.current.upload("a.txt", [1])));
    expect(view.current).toMatchObject({ progress: 1, isUploading: false });
    const blocked = Promise.withResolvers<void>();
    test.server.on("POST files/a.txt", { ...stored, waitFor: blocked.promise });
    const onError = vi.fn();
    const calls = test.server.calls.length;
    let upload: Promise<unknown> | undefined;
    act(() => {
      upload = view.current.upload("a.txt", [1], { onError });
    });
    await waitFor(() => expect(test.server.calls).toHaveLength(calls + 1));
    expect(view.current).toMatchObject({ isUploading: true, progress: 0 });
    act(() => view.current.abort());
    await act(async () => expect(await upload).toBeUndefined());
    blocked.resolve();
    expect(onError).toHaveBeenCalledOnce();
    expect(view.current).toMatchObject({ isUploading: false, error: { name: "AbortError" } });
  });

  it("reject unsupported data", async () => {
    const view = await renderReady(test.server, () => useMoralisFile());
    await act(async () => void (await Reflect.apply(view.current.saveFile, undefined, ["a.txt", 5])));
    expect(view.current.error).toMatchObject({ message: "Cannot create a Parse.File with that data." });
  });
});

describe("useSessions()", () => {
  const session = (objectId: string) => ({
    objectId,
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: { __type: "Date", iso: "2027-01-01T00:00:00.000Z" },
    installationId: `i-${objectId}`,
    createdWith: { action: "login" },
    userAgent: "Firefox, Linux",
    lastUsedAt: { __type: "Date", iso: "2026-12-01T00:00:00.000Z" },
  });

  async function signedIn(...list: string[]) {
    const left = new Set(list);
    test.server.on("GET classes/_Session", () => ({ body: { results: [...left].map(session) } }));
    test.server.on("GET sessions", () => ({ body: { results: [...left].map(session) } }));
    test.server.on("GET sessions/me", { body: session("s1") });
    test.server.on("POST batch", ({ requests }) => {
      const paths = Array.isArray(requests) ? requests.map((each) => JSON.stringify(each)) : [];
      for (const id of [...left]) if (paths.some((path) => path.includes(id))) left.delete(id);
      return { body: paths.map(() => ({ success: {} })) };
    });
    const view = await renderReady(test.server, () => ({ ...useMoralis(), sessions: useSessions() }));
    await act(async () => void (await view.current.login("ada", "secret")));
    await waitFor(() => expect(view.current.sessions.sessions).toHaveLength(list.length));
    return view;
  }

  it("lists the user's sessions and marks the current one", async () => {
    const view = await signedIn("s1", "s2");
    expect(view.current.sessions.sessions).toMatchObject([
      { id: "s1", isCurrent: true, expiresAt: new Date("2027-01-01"), installationId: "i-s1" },
      {
        id: "s2",
        isCurrent: false,
        createdWith: { action: "login" },
        userAgent: "Firefox, Linux",
        lastUsedAt: new Date("2026-12-01"),
      },
    ]);
  });

  it("revokes one session, or all others", async () => {
    const view = await signedIn("s1", "s2", "s3", "s4");
    await act(() => view.current.sessions.revoke("s3", { throwOnError: true }));
    expect(view.current.sessions.sessions.map(({ id }) => id)).toEqual(["s1", "s2", "s4"]);
    await act(() => view.current.sessions.revokeOthers({ throwOnError: true }));
    expect(view.current.sessions.sessions.map(({ id }) => id)).toEqual(["s1"]);
  });

  it("returns no sessions after signing out", async () => {
    const view = await signedIn("s1");
    await act(async () => void (await view.current.logout()));
    expect(view.current.sessions.sessions).toEqual([]);
  });
});

describe("usePasskeys()", () => {
  it("lists, renames and removes the user's passkeys, and returns none after signing out", async () => {
    const names = new Map([
      ["p1", "Laptop"],
      ["p2", "Phone"],
    ]);
    const describePasskey = (objectId: string) => ({
      objectId,
      name: names.get(objectId),
      createdAt: "2026-01-01T00:00:00.000Z",
      lastUsedAt: "2026-02-01T00:00:00.000Z",
      transports: ["internal"],
      isSyncable: true,
      isBackedUp: true,
    });
    test.server.on("GET passkeys", () => ({ body: { results: [...names.keys()].map(describePasskey) } }));
    test.server.on("PUT passkeys/p1", ({ name }) => {
      names.set("p1", String(name));
      return { body: describePasskey("p1") };
    });
    test.server.on("DELETE passkeys/p2", () => {
      names.delete("p2");
      return { body: {} };
    });
    const view = await renderReady(test.server, () => ({ ...useMoralis(), own: usePasskeys() }));
    await act(async () => void (await view.current.login("ada", "secret")));
    await waitFor(() =>
      expect(view.current.own.passkeys.map(({ name }) => name)).toEqual(["Laptop", "Phone"]),
    );
    expect(view.current.own.passkeys[0]).toMatchObject({ id: "p1", lastUsedAt: new Date("2026-02-01") });
    await act(() => view.current.own.rename("p1", "Old laptop", { throwOnError: true }));
    await act(() => view.current.own.remove("p2", { throwOnError: true }));
    expect(view.current.own.passkeys.map(({ name }) => name)).toEqual(["Old laptop"]);
    await act(async () => void (await view.current.logout()));
    expect(view.current.own.passkeys).toEqual([]);
  });
});
