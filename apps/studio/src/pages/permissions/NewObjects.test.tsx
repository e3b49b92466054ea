import type { JsonObject } from "@purse/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage } from "../../../test/openPage.tsx";
import { NewObjects } from "./NewObjects.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each<[string, JsonObject, boolean, string]>([
  [
    "a class without an ACL, where classes are open",
    {},
    false,
    "New objects have no ACL unless they set one.",
  ],
  ["a class without an ACL, where classes are closed", {}, true, "are private to them."],
  ["an empty ACL", { ACL: {} }, true, "Objects that don't set an ACL are for operators only."],
  ["an ACL", { ACL: { "*": { read: true } } }, true, "Default ACL for objects that don't set one:"],
])("NewObjects says who may access objects of %s", async (_, permissions, ownsNewObjects, text) => {
  await openPage(
    () => <NewObjects permissions={permissions} ownsNewObjects={ownsNewObjects} roles={[]} />,
    {},
  );
  expect((await screen.findByRole("region", { name: "New objects" })).textContent).toContain(text);
});
