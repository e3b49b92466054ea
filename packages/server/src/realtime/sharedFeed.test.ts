import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../core/logger.ts";
import {
  CHANGES_NOTIFICATION,
  type ChangeLog,
  type ChangePage,
  type LogPosition,
} from "../database/changeLog.ts";
import type { ChangeFeedEvent } from "./changeFeed.ts";
import { SharedFeed } from "./sharedFeed.ts";

const NOTHING: ChangePage = {
  changes: [],
  position: undefined,
  hasMore: false,
  assigned: 10,
  finished: 10,
  isContinuous: true,
  isTruncated: false,
};

/** A log whose pages the test provides. */
class FakeLog implements ChangeLog {
  position: LogPosition = { epoch: "one", seq: 10, fingerprint: "ten" };
  expired: string[] = [];
  /** The classes of each read. */
  reads: string[][] = [];
  page: () => Promise<ChangePage> = async () => NOTHING;

  failing: string | undefined;

  async subscribe(className: string): Promise<LogPosition> {
    if (className === this.failing) throw new Error("the class is in use");
    return this.position;
  }
  head = async () => this.position.seq;
  renew = async () => this.expired.splice(0);
  check = async ({ epoch }: LogPosition) => ({
    head: this.position,
    isContinuous: epoch === this.position.epoch,
  });
  changesSince = async () => "truncated" as const;
  trim = async () => undefined;
  async read(_after: LogPosition, classNames: readonly string[]): Promise<ChangePage> {
    this.reads.push([...classNames]);
    return this.page();
  }

  /** Provides pages for the next reads, and then empty ones. */
  provide(...pages: Partial<ChangePage>[]): void {
    this.page = async () => ({ ...NOTHING, ...pages.shift() });
  }
}

function change(seq: number) {
  const fingerprint = String(seq);
  return { seq, className: "Post", objectId: `object${seq}`, before: null, after: "{}", fingerprint };
}

const feeds: SharedFeed[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.stop();
});

function setUp() {
  const log = new FakeLog();
  const lines: string[] = [];
  let notify: (message: string | undefined) => void = () => undefined;
  const feed = new SharedFeed({
    changeLog: log,
    subscribeToNotifications(listener) {
      notify = listener;
      return () => undefined;
    },
    logger: createLogger({ level: "warn", format: "text", write: (line) => lines.push(line) }),
  });
  feeds.push(feed);
  const events: ChangeFeedEvent[] = [];
  feed.onChange((event) => events.push(event));
  return { log, feed, lines, events, notify: (message = CHANGES_NOTIFICATION) => notify(message) };
}

describe("the feed of a shared change log", () => {
  it("publishes the changes of its classes, page by page", async () => {
    const { log, feed, events, notify } = setUp();
    await feed.subscribe("Post");
    log.provide(
      { changes: [change(11)], position: { seq: 11, fingerprint: "11" }, hasMore: true },
      { changes: [change(13)], position: { seq: 14, fingerprint: "14" } },
    );
    notify();
    await expect.poll(() => events).toEqual([change(11), change(13)]);
    expect(log.reads.at(-1)).toEqual(["Post"]);
    expect(feed.positionOf(14)).toBe("one.14");
  });

  it("reads when a notification names one of its classes, and not for those of others", async () => {
    const { log, feed, events, notify } = setUp();
    await feed.subscribe("Post");
    // The reads that have begun end in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    log.provide({ changes: [change(11)], position: { seq: 11, fingerprint: "11" } });
    const before = log.reads.length;
    notify("changes Other Posts");
    expect(log.reads.length).toBe(before);
    notify("changes Other Post");
    expect(log.reads.length).toBe(before + 1);
    await expect.poll(() => events).toEqual([change(11)]);
  });

  it("advances its position by polls, whatever the changes of other classes", async () => {
    const { log, feed } = setUp();
    await feed.subscribe("Post");
    log.provide({ position: { seq: 5_000, fingerprint: "5000" } });
    // The head of the log is still 10.
    await expect.poll(() => feed.subscribe("Later")).toBe(5_000);
  });

  it("does not let a new subscriber miss what a read without its class has passed", async () => {
    const { log, feed, notify } = setUp();
    await feed.subscribe("Post");
    await expect.poll(() => log.reads.length).toBeGreaterThan(0);
    let finish: (page: ChangePage) => void = () => undefined;
    log.page = () =>
      new Promise((resolve) => {
        finish = resolve;
        log.provide();
      });
    const earlier = log.reads.length;
    notify();
    await expect.poll(() => log.reads.length).toBeGreaterThan(earlier);
    const head = feed.subscribe("Other");
    finish({ ...NOTHING, position: { seq: 20, fingerprint: "20" } });
    // The head of the log was 10 when it was asked for.
    expect(await head).toBe(20);
  });

  it("reads again by itself while changes wait for a transaction", async () => {
    const { log, feed, events, notify } = setUp();
    await feed.subscribe("Post");
    log.provide(
      { assigned: 11 },
      { assigned: 11 },
      { changes: [change(11)], position: { seq: 11, fingerprint: "11" } },
    );
    notify();
    await expect.poll(() => events).toEqual([change(11)]);
    expect(feed.delayMs()).toBe(0);
  });

  it("leaves it to its polls to pass transactions for which no changes of its classes wait", async () => {
    const begunAt = performance.now();
    const { log, feed } = setUp();
    log.page = async () => ({ ...NOTHING, assigned: 11 });
    await feed.subscribe("Post");
    await expect.poll(() => feed.delayMs()).toBeGreaterThan(200);
    // The first read, and one poll in 250 ms.
    expect(log.reads.length).toBeLessThanOrEqual(3 + (performance.now() - begunAt) / 250);
  });

  it("reads at the end of a transaction of other classes for which announced changes wait", async () => {
    const { log, feed, notify } = setUp();
    await feed.subscribe("Post");
    log.page = async () => ({ ...NOTHING, assigned: 11 });
    notify("changes Post");
    // It no longer reads again by itself.
    await expect.poll(() => feed.delayMs()).toBeGreaterThan(300);
    await new Promise((resolve) => setImmediate(resolve));
    const before = log.reads.length;
    notify("another notification");
    expect(log.reads.length).toBe(before);
    notify("changes Other");
    expect(log.reads.length).toBe(before + 1);
  });

  it("measures how long changes have been waiting", async () => {
    const { log, feed, notify } = setUp();
    await feed.subscribe("Post");
    log.page = async () => ({ ...NOTHING, assigned: 11 });
    notify();
    await expect.poll(() => feed.delayMs()).toBeGreaterThan(0);
  });

  it("measures the delay anew whenever a transaction ends, although others are in progress", async () => {
    const { log, feed, notify } = setUp();
    await feed.subscribe("Post");
    log.page = async () => ({ ...NOTHING, assigned: 11 });
    notify();
    await expect.poll(() => feed.delayMs()).toBeGreaterThan(100);
    const delay = feed.delayMs();
    let finished = 10;
    log.page = async () => {
      finished += 1;
      return { ...NOTHING, assigned: finished + 1, finished };
    };
    await expect.poll(() => feed.delayMs()).toBeLessThan(delay);
  });

  it("has clients query again if it was too slow, and continues", async () => {
    const { log, feed, events, lines, notify } = setUp();
    await feed.subscribe("Post");
    log.provide({ changes: [change(15)], position: { seq: 15, fingerprint: "15" }, isTruncated: true });
    notify();
    await expect.poll(() => events).toEqual(["Post", change(15)]);
    expect(lines.join()).toContain("deleted before they were read");
  });

  it("resets its clients when a read finds another log", async () => {
    const { log, feed, events, notify } = setUp();
    await feed.subscribe("Post");
    log.position = { epoch: "two", seq: 5, fingerprint: "five" };
    log.provide({ isContinuous: false });
    notify();
    await expect.poll(() => events).toEqual([{ kind: "reset", seq: 5 }]);
    expect(feed.positionOf(5)).toBe("two.5");
  });

  it("resets its clients although a class cannot be subscribed in the other log", async () => {
    const { log, feed, events, lines, notify } = setUp();
    await feed.subscribe("Post");
    await feed.subscribe("Other");
    log.position = { epoch: "two", seq: 5, fingerprint: "five" };
    log.failing = "Other";
    log.provide({ isContinuous: false });
    notify();
    await expect.poll(() => events).toEqual([{ kind: "reset", seq: 5 }]);
    expect(feed.positionOf(5)).toBe("two.5");
    await expect.poll(() => lines.join()).toContain("changes could not be read");
    log.failing = undefined;
    await feed.renewLease(["Post", "Other"]);
    expect(events.slice(1)).toEqual(["Other"]);
  });

  it("has clients query again if their subscription had expired, and goes on reading unused classes for a while", async () => {
    const { log, feed, events, notify } = setUp();
    await feed.subscribe("Post");
    await feed.subscribe("Unused");
    log.expired = ["Post"];
    await feed.renewLease(["Post"]);
    expect(events).toEqual(["Post"]);
    log.reads.length = 0;
    notify();
    await expect.poll(() => log.reads[0]).toEqual(["Unused", "Post"]);
  });
});
