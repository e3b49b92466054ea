import { expect, it } from "vitest";
import { CHANGES_NOTIFICATION, changesNotification, concernsClasses, isOfChanges } from "./changeLog.ts";

it("a notification of changes concerns the processes that read one of its classes", () => {
  const notification = changesNotification(new Set(["Post", "Comment"]));
  expect(notification).toBe("changes Post Comment");
  expect(concernsClasses(notification, new Set(["Comment", "Other"]))).toBe(true);
  expect(concernsClasses(notification, new Set(["Other"]))).toBe(false);
  expect(concernsClasses("changesets", new Set(["Post"]))).toBe(false);
  expect([notification, CHANGES_NOTIFICATION, "changesets"].map(isOfChanges)).toEqual([true, true, false]);
});

it("a notification without classes, or with too many for its size, concerns all processes", () => {
  expect(changesNotification(new Set())).toBe(CHANGES_NOTIFICATION);
  const many = new Set(Array.from({ length: 1_000 }, (_, i) => `Class${i}`));
  expect(changesNotification(many)).toBe(CHANGES_NOTIFICATION);
  expect(concernsClasses(CHANGES_NOTIFICATION, new Set(["Other"]))).toBe(true);
});
