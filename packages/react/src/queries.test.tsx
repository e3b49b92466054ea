import { LiveQuery, type ParseObject, Query } from "@purse/client";
import { act, render, screen, waitFor } from "@testing-library/react";
import { Component, type ReactNode, StrictMode, Suspense } from "react";
import { describe, expect, it, vi } from "vitest";
import { renderReady, setUpTestServer } from "../test/testRendering.tsx";
import {
  MoralisProvider,
  useInfiniteMoralisQuery,
  useMoralis,
  useMoralisQuery,
  useMoralisSubscription,
  useSuspenseMoralisQuery,
} from "./index.ts";

const test = setUpTestServer();

const note = (objectId: string, text = objectId) => ({ objectId, text });
const ids = (objects: readonly ParseObject[]) => objects.map(({ id }) => id);
const answer = (...objects: object[]) => test.server.on("GET classes/Note", { body: { results: objects } });
const requestCount = () => test.server.calls.filter((call) => call === "GET classes/Note").length;

describe("useMoralisQuery()", () => {
  it("runs the mapped query on mount", async () => {
    answer(note("a"), note("b"));
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query.equalTo("done", false).limit(5)),
    );
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a", "b"]));
    expect(test.server.bodies.at(-1)).toMatchObject({ where: { done: false }, limit: 5 });
    expect(view.current).not.toHaveProperty("setData");
    expect(Object.isFrozen(view.current.data)).toBe(true);
  });

  it("runs again when its dependencies change, but not when only its class does", async () => {
    answer(note("a"));
    let [className, done] = ["Note", false];
    const view = await renderReady(test.server, () =>
      useMoralisQuery(className, (query) => query.equalTo("done", done), [done]),
    );
    await waitFor(() => expect(view.current.data).toHaveLength(1));
    const before = test.server.calls.length;
    className = "Other";
    view.rerender();
    await act(async () => {});
    expect(test.server.calls).toHaveLength(before);
    className = "Note";
    done = true;
    view.rerender();
    await waitFor(() => expect(test.server.bodies.at(-1)).toMatchObject({ where: { done: true } }));
  });

  it("does not run without autoFetch, and returns a count if requested", async () => {
    test.server.on("GET classes/Note", { body: { results: [note("a")], count: 7 } });
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query.withCount(), [], { autoFetch: false }),
    );
    expect(requestCount()).toBe(0);
    await act(async () => void (await view.current.fetch()));
    expect(view.current.data).toMatchObject({ count: 7 });
  });

  it("applies live events, by default or by the page's callbacks", async () => {
    answer(note("a"), note("b"));
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query, [], {
        live: true,
        onLiveEnter: (entity, all) => [entity, ...all],
      }),
    );
    await waitFor(() => expect(view.current.data).toHaveLength(2));
    await waitFor(() => expect(test.server.subscriptions()).toEqual(["Note"]));
    const sendEvent = (op: string, object: object) => test.server.sendEvent(op, "Note", object);
    sendEvent("create", note("c"));
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a", "b", "c"]));
    sendEvent("enter", note("d"));
    await waitFor(() => expect(ids(view.current.data)).toEqual(["d", "a", "b", "c"]));
    sendEvent("update", note("b", "new"));
    await waitFor(() => expect(view.current.data[2]?.get("text")).toBe("new"));
    sendEvent("leave", note("a"));
    sendEvent("delete", note("c"));
    await waitFor(() => expect(ids(view.current.data)).toEqual(["d", "b"]));
    view.unmount();
    await waitFor(() => expect(test.server.subscriptions()).toEqual([]));
  });

  it("keeps live results in the order and within the limit of the query", async () => {
    const numbered = (n: number, objectId = `n${n}`) => ({ objectId, n });
    const numbers = () => view.current.data.map((object) => object.get("n"));
    answer(numbered(4), numbered(3));
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query.descending("n").limit(2), [], { live: true }),
    );
    await waitFor(() => expect(numbers()).toEqual([4, 3]));
    await waitFor(() => expect(test.server.subscriptions()).toEqual(["Note"]));
    const sendEvent = (op: string, object: object) => test.server.sendEvent(op, "Note", object);
    sendEvent("create", numbered(50));
    await waitFor(() => expect(numbers()).toEqual([50, 4]));
    sendEvent("create", numbered(1));
    sendEvent("update", numbered(60, "n1"));
    await waitFor(() => expect(numbers()).toEqual([60, 50]));
    // Only the server knows which object follows.
    answer(numbered(50), numbered(4));
    sendEvent("delete", numbered(60, "n1"));
    await waitFor(() => expect(numbers()).toEqual([50, 4]));
    answer(numbered(4), numbered(3));
    sendEvent("update", numbered(2, "n50"));
    await waitFor(() => expect(numbers()).toEqual([4, 3]));
  });

  it("runs once if its dependencies are new objects with the same content in each rendering", async () => {
    answer(note("a"));
    let tags = ["x"];
    const view = await renderReady(test.server, () => {
      const filter = { tags: [...tags], since: new Date(0) };
      return useMoralisQuery("Note", (query) => query.containedIn("tag", filter.tags), [filter, [...tags]]);
    });
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a"]));
    const before = requestCount();
    view.rerender();
    view.rerender();
    await act(async () => {});
    expect(requestCount()).toBe(before);
    tags = ["y"];
    view.rerender();
    await waitFor(() => expect(test.server.bodies.at(-1)).toMatchObject({ where: { tag: { $in: ["y"] } } }));
  });

  it("does not overwrite a live event with the response of an earlier read", async () => {
    const blocked = Promise.withResolvers<void>();
    const body = { results: [note("a", "old")] };
    test.server.on("GET classes/Note", { body, waitFor: blocked.promise });
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query, [], { live: true }),
    );
    await waitFor(() => {
      test.server.sendEvent("update", "Note", note("a", "new"));
      test.server.sendEvent("create", "Note", note("b"));
      expect(ids(view.current.data)).toEqual(["b"]);
    });
    blocked.resolve();
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a", "b"]));
    expect(view.current.data[0]?.get("text")).toBe("new");
  });

  it("does not overwrite newer records with the response of a read from before the subscription", async () => {
    // A new connection takes longer to open than the read takes to reach the server.
    await LiveQuery.close();
    const blocked = Promise.withResolvers<void>();
    test.server.on("GET classes/Note", () =>
      test.server.subscriptions().length === 0
        ? { body: { results: [note("a", "old")] }, waitFor: blocked.promise }
        : { body: { results: [note("a", "new")] } },
    );
    const view = await renderReady(test.server, () =>
      useMoralisQuery("Note", (query) => query, [], { live: true }),
    );
    await waitFor(() => expect(view.current.data[0]?.get("text")).toBe("new"));
    await waitFor(() => expect(test.server.abortedCalls).toContain("GET classes/Note"));
    blocked.resolve();
    test.server.sendEvent("create", "Note", note("b"));
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a", "b"]));
    expect(view.current.data[0]?.get("text")).toBe("new");
  });
});

describe("useMoralisSubscription()", () => {
  it("subscribes again after signing in, and without a session after signing out", async () => {
    const view = await renderReady(test.server, () => {
      useMoralisSubscription("Note");
      return useMoralis();
    });
    const tokens = () => test.server.tokens();
    await waitFor(() => expect(tokens()).toEqual([undefined]));
    await act(async () => void (await view.current.login("ada", "secret")));
    await waitFor(() => expect(tokens()).toEqual(["r:1"]));
    await act(async () => void (await view.current.logout()));
    await waitFor(() => expect(tokens()).toEqual([undefined]));
  });

  it("calls the callbacks for the events of a query's objects until it is disabled", async () => {
    const events: unknown[] = [];
    let enabled = true;
    const record = (op: string) => (entity: ParseObject) => events.push([op, entity.id]);
    const view = await renderReady(test.server, () =>
      useMoralisSubscription("Note", (query) => query, [], {
        enabled,
        onCreate: record("create"),
        onUpdate: record("update"),
        onEnter: record("enter"),
        onLeave: record("leave"),
        onDelete: record("delete"),
      }),
    );
    await waitFor(() => expect(test.server.subscriptions()).toEqual(["Note"]));
    for (const op of ["create", "update", "enter", "leave", "delete"]) {
      test.server.sendEvent(op, "Note", note("a"));
    }
    await waitFor(() => expect(events).toHaveLength(5));
    expect(events).toContainEqual(["leave", "a"]);
    enabled = false;
    view.rerender();
    await waitFor(() => expect(test.server.subscriptions()).toEqual([]));
  });

  it("reports when the connection is opened and lost, but not its own unsubscription", async () => {
    const events: string[] = [];
    const view = await renderReady(test.server, () =>
      useMoralisSubscription("Note", (query) => query, [], {
        onOpen: () => events.push("open"),
        onClose: () => events.push("close"),
        onRefetch: () => events.push("refetch"),
      }),
    );
    await waitFor(() => expect(events).toEqual(["open"]));
    test.server.breakConnections();
    await waitFor(() => expect(events).toEqual(["open", "close", "open"]));
    test.server.sendEvent("refetch", "Note", {});
    await waitFor(() => expect(events.at(-1)).toBe("refetch"));
    view.unmount();
    await waitFor(() => expect(test.server.subscriptions()).toEqual([]));
    expect(events).toEqual(["open", "close", "open", "refetch"]);
  });

  it("calls onError if the server rejects the subscription", async () => {
    const refused = vi.spyOn(Query.prototype, "subscribe").mockRejectedValue(new Error("not allowed"));
    const onError = vi.fn();
    await renderReady(test.server, () => useMoralisSubscription("Note", (query) => query, [], { onError }));
    await waitFor(() => expect(onError).toHaveBeenCalledWith(new Error("not allowed")));
    refused.mockRestore();
  });
});

describe("useInfiniteMoralisQuery()", () => {
  /** Answers pages as the server does. */
  const serve = (all: { objectId: string; text: string }[]) =>
    test.server.on("GET classes/Note", ({ skip, limit }) => {
      const from = Number(skip ?? 0);
      return { body: { results: all.slice(from, from + Number(limit)) } };
    });

  it("pages by offset, and returns each object once", async () => {
    const all = ["a", "b", "c", "d", "e"].map((id) => note(id));
    serve(all);
    const view = await renderReady(test.server, () =>
      useInfiniteMoralisQuery("Note", (query) => query.ascending("text"), [], { pageSize: 2 }),
    );
    await waitFor(() => expect(ids(view.current.data)).toEqual(["a", "b"]));
    // Something came in at the front: what was shown already comes again.
    serve([note("0"), ...all]);
    await act(() => view.current.fetchNextPage());
    expect(ids(view.current.data)).toEqual(["a", "b", "c"]);
    await act(() => view.current.fetchNextPage());
    expect(view.current.hasNextPage).toBe(true);
    await act(() => view.current.fetchNextPage());
    expect(view.current).toMatchObject({ hasNextPage: false, isFetchingNextPage: false, isLoading: false });
    expect(view.current.pages).toHaveLength(4);
    const before = requestCount();
    await act(() => view.current.fetchNextPage());
    expect(requestCount()).toBe(before);
    await act(() => view.current.refetch());
    expect(ids(view.current.data)).toEqual(["0", "a"]);
  });

  it("pages by the cursor of a field if lists change meanwhile", async () => {
    answer(note("a", "x"), note("b", "y"));
    const view = await renderReady(test.server, () =>
      useInfiniteMoralisQuery("Note", (query) => query.equalTo("done", false).include("author"), [], {
        pageSize: 2,
        cursor: { field: "text", descending: true },
      }),
    );
    await waitFor(() => expect(view.current.data).toHaveLength(2));
    answer(note("c", "z"));
    await act(() => view.current.fetchNextPage());
    expect(test.server.bodies.at(-1)).toMatchObject({
      where: {
        $and: [{ done: false }, { $or: [{ text: { $lt: "y" } }, { text: "y", objectId: { $lt: "b" } }] }],
      },
      order: "-text,-objectId",
      include: "author",
      limit: 2,
    });
    expect(view.current.hasNextPage).toBe(false);
  });

  it("keeps its pages if the next one fails", async () => {
    answer(note("a"));
    const view = await renderReady(test.server, () =>
      useInfiniteMoralisQuery("Note", (query) => query, [], { pageSize: 1 }),
    );
    await waitFor(() => expect(view.current.data).toHaveLength(1));
    test.server.on("GET classes/Note", { status: 400, body: { code: 119, error: "no" } });
    await act(() => view.current.fetchNextPage());
    expect(view.current).toMatchObject({ error: { code: 119 }, hasNextPage: true });
    expect(ids(view.current.data)).toEqual(["a"]);
  });
});

describe("useSuspenseMoralisQuery()", () => {
  function Notes() {
    const { data } = useSuspenseMoralisQuery("Note");
    return <p>{ids(data).join() || "none"}</p>;
  }

  class Boundary extends Component<{ children: ReactNode }, { error?: unknown }> {
    override state: { error?: unknown } = {};
    static getDerivedStateFromError(error: unknown) {
      return { error };
    }
    override render() {
      const { error } = this.state;
      return error ? <p>{error instanceof Error ? error.message : "failed"}</p> : this.props.children;
    }
  }

  const show = () =>
    render(
      <StrictMode>
        <MoralisProvider appId="app" serverUrl={test.server.url} plugins={[]}>
          <Boundary>
            <Suspense fallback={<p>waiting</p>}>
              <Notes />
            </Suspense>
          </Boundary>
        </MoralisProvider>
      </StrictMode>,
    );

  it("suspends until the objects have been loaded by a single request", async () => {
    answer(note("a"), note("b"));
    show();
    screen.getByText("waiting");
    await screen.findByText("a,b");
    expect(requestCount()).toBe(1);
  });

  it("throws its error to the error boundary", async () => {
    const silence = vi.spyOn(console, "error").mockImplementation(() => {});
    test.server.on("GET classes/Note", { status: 400, body: { code: 119, error: "not for you" } });
    show();
    await screen.findByText("not for you");
    silence.mockRestore();
  });
});
